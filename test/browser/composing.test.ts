import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { gate, type Script, text } from '../harness/scripted-script.ts';
import { chooseInMenu, openSession, say } from './doing.ts';
import { FAKE_RECOGNISER } from './recogniser.ts';
import { BrowserStage, composer, said } from './stage.ts';

let stage: BrowserStage;
beforeAll(async () => {
  stage = await BrowserStage.start({ agents: [{ agentId: 'ada' }, { agentId: 'clerk', toolAllowlist: ['todo_*'] }] });
}, 60_000);
afterAll(() => stage.close());

/** Whoever is told to wait waits until the door is open; everybody else answers at once. */
function waiting(door: Promise<void>): (request: RecordedRequest) => Script {
  return ({ said: words }) =>
    words === 'Wait'
      ? { steps: [...text('Waiting'), { kind: 'gate', until: door }, ...text(', done')] }
      : { steps: text(`Re: ${words}`) };
}

test('messages to somebody who works wait in line: changed, moved, taken back, and sent before the others', {
  timeout: 60_000,
}, async () => {
  const door = gate();
  stage.provider.script(waiting(door.until));
  const { id } = await stage.parley.createSession({ agentId: 'ada' });
  const page = await stage.open(`/sessions/${id}`);
  await say(page, 'Wait');
  await said(page, 'Waiting').waitFor();
  for (const words of ['One', 'Two', 'Three', 'Four']) await say(page, words);
  const line = page.getByRole('list', { name: 'Messages that wait' });
  const chip = (words: string) => line.getByRole('listitem').filter({ hasText: words });
  await expect.poll(() => line.getByRole('button', { name: /^Message \d of 4/ }).count()).toBe(4);
  await chip('Two').getByRole('button', { name: 'Edit' }).click();
  await line.getByRole('textbox', { name: 'Edit' }).fill('Second');
  await page.keyboard.press('Enter');
  await chip('Second')
    .getByRole('button', { name: /^Message 2 of 4/ })
    .press('Alt+ArrowUp');
  await chip('Second')
    .getByRole('button', { name: /^Message 1 of 4/ })
    .waitFor();
  await chip('Three').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => line.getByRole('listitem').count()).toBe(3);
  await chip('Four').getByRole('button', { name: 'Send now' }).click();
  await said(page, 'Re: One').waitFor();
  const spoken = (await stage.parley.transcript(id)).filter((words) => words.startsWith('user'));
  expect(spoken).toEqual(['user: Wait', 'user: Four', 'user: Second', 'user: One']);
  await expect.poll(() => line.count()).toBe(0);
  expect(stage.trouble).toEqual([]);
});

test('what is said to somebody who works goes along with the work, or puts an end to it', {
  timeout: 60_000,
}, async () => {
  const door = gate();
  stage.provider.script(({ body }) => {
    const messages = body.messages as { role: string; content: string }[];
    if (messages.some(({ role }) => role === 'tool'))
      return { steps: text(`Heard: ${messages.filter(({ role }) => role === 'user').at(-1)?.content}`) };
    const call = { kind: 'toolCall', name: 'todo_list', input: '{}' } as const;
    return { steps: [...text('Looking'), { kind: 'gate', until: door.until }, call] };
  });
  const { id } = await stage.parley.createSession({ agentId: 'clerk' });
  const page = await stage.open(`/sessions/${id}`);
  await say(page, 'What is there to do?');
  await said(page, 'Looking').waitFor();
  await composer(page).fill('Only what is urgent');
  await composer(page).press('Alt+Enter');
  await expect.poll(() => composer(page).inputValue()).toBe('');
  await expect.poll(async () => (await stage.parley.messages(id)).length).toBeGreaterThan(1);
  door.open();
  await said(page, 'Heard: Only what is urgent').waitFor();
  const asked = stage.provider.requests.filter(({ body }) => body.model === 'model-of-clerk');
  expect(asked).toHaveLength(2);

  const shut = gate();
  stage.provider.script(waiting(shut.until));
  await say(page, 'Wait');
  await said(page, 'Waiting').waitFor();
  await composer(page).fill('Enough');
  await composer(page).press('Control+Enter');
  await said(page, 'Re: Enough').waitFor();
  await page
    .getByRole('article', { name: /^clerk/ })
    .getByText('interrupted')
    .waitFor();
  expect(stage.trouble).toEqual([]);
});

test('a message is said differently, answered again, gone back to, quoted, copied and forked', {
  timeout: 60_000,
}, async () => {
  let count = 0;
  stage.provider.script(({ said: words }) => ({ steps: text(`Answer ${++count} to ${words}`) }));
  const { id } = await stage.parley.createSession({ agentId: 'ada' });
  const page = await stage.open(`/sessions/${id}`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await say(page, 'tea');
  await said(page, 'Answer 1 to tea').waitFor();

  const mine = page.getByRole('article', { name: /^You/ });
  const answer = page.getByRole('article', { name: /^ada/ });
  await answer.hover();
  await answer.getByRole('button', { name: 'Answer again' }).click();
  await said(page, 'Answer 2 to tea').waitFor();
  await answer.hover();
  await answer.getByText('2 of 2').waitFor();
  await answer.getByRole('button', { name: 'Previous version' }).click();
  await said(page, 'Answer 1 to tea').waitFor();

  await mine.hover();
  await mine.getByRole('button', { name: 'Edit and send again' }).click();
  await page.getByRole('textbox', { name: 'Edit and send again' }).fill('coffee');
  await page.getByRole('button', { name: 'Send', exact: true }).first().click();
  await said(page, 'Answer 3 to coffee').waitFor();
  await mine.hover();
  await mine.getByRole('button', { name: 'Previous version' }).click();
  await said(page, /Answer \d to tea/).waitFor();

  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await chooseInMenu(page, 'Quote');
  await expect.poll(() => composer(page).inputValue()).toMatch(/^> Answer \d to tea/);
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await chooseInMenu(page, 'Copy as Markdown');
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^\*\*ada\*\*\n\nAnswer \d to tea$/);
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await chooseInMenu(page, 'Fork from here');
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await said(page, /Answer \d to tea/).waitFor();
  expect((await stage.parley.messages(openSession(page))).length).toBe(2);
  expect(stage.trouble).toEqual([]);
});

test('words are dictated: shown as they are heard, put in when they are sure, forgotten with Escape', {
  timeout: 60_000,
}, async () => {
  const { id } = await stage.parley.createSession({ agentId: 'ada' });
  const page = await stage.open('/');
  await page.addInitScript(FAKE_RECOGNISER);
  await page.goto(`${stage.parley.url}/sessions/${id}`);
  await composer(page).fill('Dear ada');
  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.getByRole('button', { name: 'Stop dictating' }).waitFor();
  await page.evaluate('hears("how are", false)');
  await page.locator('[data-composer]').getByText('how are', { exact: true }).waitFor();
  await page.evaluate('hears("how are you", true)');
  await page.getByRole('button', { name: 'Stop dictating' }).click();
  await expect.poll(() => composer(page).inputValue()).toBe('Dear ada how are you');

  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.getByRole('button', { name: 'Stop dictating' }).waitFor();
  await page.evaluate('hears("nonsense", true)');
  await composer(page).press('Escape');
  await page.getByRole('button', { name: 'Dictate' }).waitFor();
  expect(await composer(page).inputValue()).toBe('Dear ada how are you');

  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.getByRole('button', { name: 'Stop dictating' }).waitFor();
  await page.evaluate('fails("not-allowed")');
  await page.getByText('The microphone is not allowed.').waitFor();
  expect(await composer(page).inputValue()).toBe('Dear ada how are you');
  expect(stage.trouble).toEqual([]);
});
