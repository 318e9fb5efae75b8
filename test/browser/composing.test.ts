import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { gate, type Script, text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { chooseInMenu, openSession, say } from './doing.ts';
import { FAKE_RECOGNISER } from './recogniser.ts';
import { composer, said, WebApp } from './web-app.ts';

const LONG = { timeout: 60_000 };

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ agents: [{ agentId: 'ada' }, { agentId: 'clerk', toolAllowlist: ['todo_*'] }] });
}, 60_000);
afterAll(() => app.close());

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
  app.provider.script(waiting(door.until));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Wait');
  await said(page, 'Waiting').waitFor();
  for (const words of ['One', 'Two', 'Three', 'Four']) await say(page, words);
  const line = page.getByRole('list', { name: 'Queued messages' });
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
  const spoken = (await app.parley.transcript(id)).filter((words) => words.startsWith('user'));
  expect(spoken).toEqual(['user: Wait', 'user: Four', 'user: Second', 'user: One']);
  await expect.poll(() => line.count()).toBe(0);
  expect(app.trouble).toEqual([]);
});

test('what is said to somebody who works goes along with the work, or puts an end to it', {
  timeout: 60_000,
}, async () => {
  const door = gate();
  app.provider.script(({ body }) => {
    const messages = body.messages as { role: string; content: string }[];
    if (messages.some(({ role }) => role === 'tool'))
      return { steps: text(`Heard: ${messages.filter(({ role }) => role === 'user').at(-1)?.content}`) };
    const call = { kind: 'toolCall', name: 'todo_list', input: '{}' } as const;
    return { steps: [...text('Looking'), { kind: 'gate', until: door.until }, call] };
  });
  const { id } = await app.parley.createSession({ agentId: 'clerk' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'What is there to do?');
  await said(page, 'Looking').waitFor();
  await composer(page).fill('Only what is urgent');
  await composer(page).press('Alt+Enter');
  await expect.poll(() => composer(page).inputValue()).toBe('');
  await expect.poll(async () => (await app.parley.messages(id)).length).toBeGreaterThan(1);
  door.open();
  await said(page, 'Heard: Only what is urgent').waitFor();
  const asked = app.provider.requests.filter(({ body }) => body.model === 'model-of-clerk');
  expect(asked).toHaveLength(2);

  const shut = gate();
  app.provider.script(waiting(shut.until));
  await say(page, 'Wait');
  await said(page, 'Waiting').waitFor();
  await composer(page).fill('Enough');
  await composer(page).press('Control+Enter');
  await said(page, 'Re: Enough').waitFor();
  await page
    .getByRole('article', { name: /^clerk/ })
    .getByText('interrupted')
    .waitFor();
  expect(app.trouble).toEqual([]);
});

test('a message is said differently, answered again, gone back to, quoted, copied and forked', {
  timeout: 60_000,
}, async () => {
  let count = 0;
  app.provider.script(({ said: words }) => ({ steps: text(`Answer ${++count} to ${words}`) }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await say(page, 'tea');
  await said(page, 'Answer 1 to tea').waitFor();

  const mine = page.getByRole('article', { name: /^You/ });
  const answer = page.getByRole('article', { name: /^ada/ });
  await answer.hover();
  await answer.getByRole('button', { name: 'Regenerate' }).click();
  await said(page, 'Answer 2 to tea').waitFor();
  await answer.hover();
  await answer.getByText('2 of 2').waitFor();
  await answer.getByRole('button', { name: 'Previous version' }).click();
  await said(page, 'Answer 1 to tea').waitFor();

  await mine.hover();
  await mine.getByRole('button', { name: 'Edit and resend' }).click();
  await page.getByText('Enter to send, Shift+Enter for a new line, Esc to cancel').waitFor();
  await page.getByRole('textbox', { name: 'Edit and resend' }).fill('coffee');
  await page.keyboard.press('Enter');
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
  expect((await app.parley.messages(openSession(page))).length).toBe(2);
  expect(app.trouble).toEqual([]);
});

test('words are dictated: shown as they are heard, put in when they are sure, forgotten with Escape', {
  timeout: 60_000,
}, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open('/');
  await page.addInitScript(FAKE_RECOGNISER);
  await page.goto(`${app.parley.url}/sessions/${id}`);
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
  await page.getByText('Microphone access is blocked.').waitFor();
  expect(await composer(page).inputValue()).toBe('Dear ada how are you');
  expect(app.trouble).toEqual([]);
});

test('a deleted message stays away after a reload, is gone before the next one is sent, and comes back with Undo', {
  timeout: 60_000,
}, async () => {
  const seen: string[] = [];
  app.provider.script(({ said: words, body }) => {
    seen.push(JSON.stringify(body.messages));
    return { steps: text(`Re: ${words}`) };
  });
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'Secret one' });
  await app.parley.say(id, { content: 'Secret two' });
  const page = await app.open(`/sessions/${id}`);
  const remove = async (words: string) => {
    const mine = page.getByRole('article', { name: /^You/ }).filter({ hasText: words });
    await mine.hover();
    await mine.getByRole('button', { name: en['message.more'] }).click();
    await chooseInMenu(page, en['message.delete']);
    await expect.poll(() => mine.count()).toBe(0);
  };
  await remove('Secret two');
  await page.getByRole('button', { name: en['action.undo'] }).click();
  await said(page, 'Re: Secret two').waitFor();
  await expect.poll(() => page.getByText(en['message.deleted']).count()).toBe(0);

  await remove('Secret two');
  await page.reload();
  await said(page, 'Re: Secret one').waitFor();
  expect(await page.getByText('Secret two').count()).toBe(0);
  await expect.poll(async () => (await app.parley.messages(id)).length).toBe(2);

  await remove('Secret one');
  await say(page, 'Hello again');
  await said(page, 'Re: Hello again').waitFor();
  expect(seen.at(-1)).not.toContain('Secret');
  expect(await app.parley.transcript(id)).toEqual(['user: Hello again', 'ada: Re: Hello again']);

  const answer = page.getByRole('article', { name: /^ada/ });
  await answer.hover();
  await answer.getByRole('button', { name: en['message.more'] }).click();
  await chooseInMenu(page, en['rail.seen']);
  const dialog = page.getByRole('dialog', { name: en['rail.seen'] });
  await dialog
    .getByRole('combobox', { name: en['rail.turn'] })
    .getByText(/ada · .* · Hello again/)
    .waitFor({ state: 'attached' });
  await dialog.getByText('Hello again', { exact: true }).waitFor();
  expect(app.trouble).toEqual([]);
});

/** Each with the request that it leads to. */
const READS_SESSION = {
  '/share': /POST .*\/shares$/,
  '/fork': /POST .*\/forks?$/,
  '/compact': /POST .*\/compact/,
  '/export': /GET .*\/export/,
  '/retry': /POST .*\/retries$/,
};

test('a message that was just deleted is gone before the session is shared, forked, summarised, exported or retried', {
  timeout: 90_000,
}, async () => {
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
  const page = await app.open('/');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  for (const [command, request] of Object.entries(READS_SESSION)) {
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    await app.parley.say(id, { content: 'Kept' });
    await app.parley.say(id, { content: 'Secret' });
    await page.goto(`${app.parley.url}/sessions/${id}`);
    const mine = page.getByRole('article', { name: /^You/ }).filter({ hasText: 'Secret' });
    await mine.hover();
    await mine.getByRole('button', { name: en['message.more'] }).click();
    await chooseInMenu(page, en['message.delete']);
    await expect.poll(() => mine.count()).toBe(0);
    sent.length = 0;
    await say(page, command);
    if (command === '/share') await page.getByRole('button', { name: en['share.make'] }).click();
    await expect.poll(() => sent.some((one) => request.test(one)), { message: `${command} in ${sent}` }).toBe(true);
    const read = sent.findIndex((one) => request.test(one));
    const deleted = sent.findIndex((one) => one.startsWith('DELETE /api/messages/'));
    expect(deleted, command).toBeGreaterThanOrEqual(0);
    expect(deleted, command).toBeLessThan(read);
    expect(JSON.stringify(await app.parley.messages(id)), command).not.toContain('Secret');
  }
  expect(app.trouble).toEqual([]);
});

test('a long paste becomes a file that survives a reload, can be text again, and is sent as a file', {
  timeout: 90_000,
}, async () => {
  app.provider.script(() => ({ steps: text('I have read it.') }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const paste = async (words: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(words)})`);
    await composer(page).press('ControlOrMeta+v');
  };
  const long = Array.from({ length: 80 }, (_, at) => `line ${at + 1}`).join('\n');
  const chips = page.locator('[data-composer]').getByRole('list', { name: 'Attachments' }).getByRole('listitem');
  const open = page.getByRole('button', { name: 'Open Pasted text 1.txt' });
  await composer(page).fill('Look: ');
  await paste('short');
  expect(await composer(page).inputValue()).toBe('Look: short');
  await paste(long);
  await open.waitFor();
  expect(await composer(page).inputValue()).toBe('Look: short');
  await app.shot(page, 'long-paste');
  await page.reload();
  await open.click();
  await page.getByRole('dialog').getByText('line 80').waitFor();
  await app.shot(page, 'long-paste-open');
  await page.getByRole('button', { name: 'Paste as text' }).click();
  await expect.poll(() => composer(page).inputValue()).toBe(`Look: short${long}`);
  expect(await chips.count()).toBe(0);
  await composer(page).press('ControlOrMeta+z');
  await expect.poll(() => composer(page).inputValue()).toBe('Look: short');

  await paste(long);
  await page.getByRole('img', { name: 'Uploading…' }).waitFor({ state: 'detached' });
  await composer(page).press('Enter');
  await said(page, 'I have read it.').waitFor();
  const [sent] = await app.parley.messages(id);
  expect([sent?.text, sent?.parts.find(({ type }) => type === 'file')]).toMatchObject([
    'Look: short',
    { name: 'Pasted text 1.txt', kind: 'text', bytes: long.length },
  ]);
  expect(JSON.stringify(app.provider.requests.at(-1)?.body)).toContain('line 80');
  await page.reload();
  await said(page, 'I have read it.').waitFor();
  expect(await chips.count()).toBe(0);

  // What is sent as text is folded where it is read.
  await composer(page).fill(long);
  await composer(page).press('Enter');
  const fold = page.getByRole('button', { name: 'Show all (80 lines)' });
  await fold.waitFor();
  await app.shot(page, 'long-message');
  const height = () => page.locator('[data-folded]').evaluate((element) => element.clientHeight);
  expect(await height()).toBeLessThan(300);
  await fold.click();
  await expect.poll(height).toBeGreaterThan(1000);
  expect(app.trouble).toEqual([]);
});

test('a full box shows whole lines at its end and keeps them away from the buttons', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill(Array.from({ length: 40 }, (_, at) => `Line ${at}`).join('\n'));
  const { shown, line, isAtEnd, gap }: { shown: number; line: number; isAtEnd: boolean; gap: number } =
    await page.evaluate(FULL_BOX);
  expect(isAtEnd).toBe(true);
  expect(shown % line).toBe(0);
  expect(gap).toBeGreaterThanOrEqual(8);
  expect(app.trouble).toEqual([]);
});

/** Runs in the page: how the text ends above the buttons. */
const FULL_BOX = `(() => {
  const box = [...document.querySelectorAll('[data-composer] textarea')].find((one) => one.checkVisibility());
  box.scrollTop = box.scrollHeight;
  const bar = box.closest('[data-composer]').querySelector('button').getBoundingClientRect();
  const style = getComputedStyle(box);
  return {
    shown: box.clientHeight,
    line: Number.parseFloat(style.lineHeight),
    isAtEnd: box.scrollTop + box.clientHeight === box.scrollHeight,
    gap: bar.top - (box.getBoundingClientRect().bottom - Number.parseFloat(style.borderBottomWidth)),
  };
})()`;

test('a session without messages has nothing to clear, and says so', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('/clear');
  await page.keyboard.press('Enter');
  await page.getByText(en['composer.nothingToClear']).waitFor();
  expect(await page.getByRole('dialog', { name: en['sidebar.clearTitle'] }).count()).toBe(0);
  expect(app.trouble).toEqual([]);
});
