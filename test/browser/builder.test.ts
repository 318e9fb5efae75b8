import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentDetail } from '../../contract/agents.ts';
import { BUILDER } from '../../contract/builder.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { expectUsable } from './axe.ts';
import { openSession, say, tabTo, toast } from './doing.ts';
import { FAKE_RECOGNISER } from './recogniser.ts';
import { composer, said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ agents: [{ agentId: 'ada', displayName: 'Ada' }] });
  app.provider.script(play);
}, 60_000);
afterAll(() => app.close());

const agent = (id: string) => app.parley.ok<AgentDetail>('GET', `/api/agents/${id}`);

/** Drafts whatever it is told to, as `draft {…}`; makes it on `make {…}`. */
function play({ body, said: words }: RecordedRequest): Script {
  const messages = body.messages as { role: string; content: string }[];
  if (messages.at(-1)?.role === 'tool') return { steps: text('There it is.') };
  const [, verb, fields] = /^(draft|make) (\{.*\})/m.exec(words) ?? [];
  if (!fields) return { steps: text(`What should it do? You said: ${words}`) };
  const chat = { provider: 'openai-compatible', model: 'model-of-ada', baseUrl: `${app.provider.url}/v1` };
  const definition = {
    agentId: 'scout',
    displayName: 'Scout',
    description: 'Looks ahead.',
    chat,
    ...JSON.parse(fields),
  };
  const name = verb === 'make' ? 'builder_create' : 'builder_draft';
  return { steps: [{ kind: 'toolCall', name, input: JSON.stringify({ definition }) }] };
}

async function describe(words: string): Promise<Page> {
  const page = await app.open('/agents/new');
  const box = page.getByRole('textbox', { name: 'What should it do?' });
  await tabTo(page, box);
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/sessions/*');
  return page;
}

const draft = (page: Page) => page.getByRole('region', { name: 'Draft' });
const nameIn = (page: Page) => draft(page).getByRole('textbox', { name: 'Name' });

test('an agent is described, drafted, changed by hand, talked about and made', { timeout: 90_000 }, async () => {
  const page = await describe('draft {"toolAllowlist":["web_*"]}');
  await said(page, 'There it is.').waitFor();
  expect((await agent(BUILDER.agentId)).definition).toMatchObject({ extends: BUILDER.template });
  await expect.poll(() => nameIn(page).inputValue()).toBe('Scout');
  await draft(page).getByText('Allowed (1): web_fetch').waitFor();
  expect(await draft(page).getByRole('button', { name: 'Discard changes' }).count()).toBe(0);
  await nameIn(page).fill('Lookout');
  await draft(page).getByText('Your changes go with your next message.').waitFor();
  await page.reload();
  await expect.poll(() => nameIn(page).inputValue()).toBe('Lookout');

  await say(page, 'draft {"displayName":"Lookout","description":"Looks far ahead."}');
  await expect
    .poll(() => draft(page).getByRole('textbox', { name: 'Description' }).inputValue())
    .toBe('Looks far ahead.');
  const sent = (await app.parley.messages(openSession(page))).findLast(({ role }) => role === 'user')!;
  expect(sent.text).toContain('My edited version of the draft:\n\n```json\n{');
  expect(sent.text).toContain('"displayName": "Lookout"');
  expect(await draft(page).getByText('This is a newer draft').count()).toBe(0);

  await draft(page).getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/agents/scout');
  await toast(page, 'Lookout is ready').waitFor();
  expect((await agent('scout')).definition).toMatchObject({ displayName: 'Lookout', description: 'Looks far ahead.' });
  await page.goBack();
  await draft(page).getByText('Lookout is ready').waitFor();
  expect(app.trouble).toEqual([]);
});

test('a newer draft does not swallow what was changed by hand meanwhile', { timeout: 60_000 }, async () => {
  const page = await describe('draft {"agentId":"second"}');
  await expect.poll(() => nameIn(page).inputValue()).toBe('Scout');
  const id = openSession(page);
  await nameIn(page).fill('Mine');
  await app.parley.say(id, { content: 'draft {"agentId":"second","displayName":"Theirs"}' });
  await expect.poll(() => nameIn(page).inputValue()).toBe('Theirs');
  await draft(page).getByText('Your changes to the previous one are kept.').waitFor();
  await draft(page).getByRole('button', { name: 'Show my version' }).click();
  await expect.poll(() => nameIn(page).inputValue()).toBe('Mine');
  await draft(page).getByRole('button', { name: 'Discard changes' }).click();
  await expect.poll(() => nameIn(page).inputValue()).toBe('Theirs');
  expect(app.trouble).toEqual([]);
});

test('an agent is made in the conversation once the person has agreed, by keyboard alone', {
  timeout: 60_000,
}, async () => {
  const page = await describe('make {"agentId":"third","displayName":"Third"}');
  const card = page.getByRole('log').getByRole('group', { name: 'Agent builder wants to use builder_create' });
  await card.waitFor();
  await page.getByRole('log').focus();
  await tabTo(page, card.getByRole('button', { name: 'Allow once' }));
  await page.keyboard.press('Enter');
  await said(page, 'There it is.').waitFor();
  expect((await agent('third')).displayName).toBe('Third');
});

test('an agent whose ID was changed by hand is the one that the draft goes on showing', {
  timeout: 60_000,
}, async () => {
  const page = await describe('draft {"agentId":"fifth"}');
  await draft(page).getByRole('textbox', { name: 'ID', exact: true }).fill('quint');
  await nameIn(page).fill('Quint');
  await draft(page).getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/agents/quint');
  await page.goBack();
  await draft(page).getByText('Quint is ready').waitFor();
  expect(await nameIn(page).inputValue()).toBe('Quint');
  expect(app.trouble).toEqual([]);
});

test('where there is no room for both, one chooses between conversation and draft', { timeout: 60_000 }, async () => {
  const page = await describe('draft {"agentId":"fourth"}');
  await nameIn(page).waitFor();
  await expectUsable(app, page, 'builder');
  await page.setViewportSize({ width: 360, height: 740 });
  await composer(page).waitFor();
  expect(await draft(page).count()).toBe(0);
  await page.getByRole('button', { name: /^Draft/ }).press('Enter');
  await nameIn(page).waitFor();
  await page.getByRole('dialog', { name: /^Draft/ }).waitFor();
  await expectUsable(app, page, 'builder-draft');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Back to the conversation' }).press('Enter');
  await composer(page).waitFor();
  expect(app.trouble).toEqual([]);
});

test('an agent begins with what was spoken', { timeout: 60_000 }, async () => {
  const page = await app.open('/');
  await page.addInitScript(FAKE_RECOGNISER);
  await page.goto(`${app.parley.url}/agents/new`);
  const box = page.getByRole('textbox', { name: 'What should it do?' });
  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.getByRole('button', { name: 'Stop dictating' }).waitFor();
  await page.evaluate('hears("somebody who waters", false)');
  await expect.poll(() => box.inputValue()).toBe('somebody who waters');
  await page.evaluate('hears("somebody who waters my plants", true)');
  await page.getByRole('button', { name: 'Stop dictating' }).click();
  await expect.poll(() => box.inputValue()).toBe('somebody who waters my plants');
  await page.getByRole('button', { name: 'Create draft' }).click();
  await said(page, 'You said: somebody who waters my plants').waitFor();
  expect(app.trouble).toEqual([]);
});
