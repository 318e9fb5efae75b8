import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { gate, type Script, text } from '../harness/scripted-script.ts';
import { row, say } from './doing.ts';
import { composer, said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    preloads: true,
    agents: [{ agentId: 'ada' }, { agentId: 'clerk', toolAllowlist: ['todo_*'], approvals: { todo_add: 'ask' } }],
  });
}, 60_000);
afterAll(() => app.close());

function answers({ said: words }: RecordedRequest): Script {
  return { steps: text(`Re: ${words}`) };
}

/** Asks to write something down, then says what came of it. */
function writesDown({ body }: RecordedRequest): Script {
  const last = (body.messages as { role: string; content: string }[]).at(-1)!;
  if (last.role === 'tool') return { steps: text('Noted.') };
  return { steps: [{ kind: 'toolCall', name: 'todo_add', input: '{"title":"milk"}' }] };
}

test('an answer that was under way before a reload can be stopped after it, and keeps what it had said', {
  timeout: 60_000,
}, async () => {
  const held = gate();
  app.provider.script(() => ({
    steps: [...text('So far'), { kind: 'gate', until: held.until }, ...text(' not this')],
  }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Go on');
  await said(page, 'So far').waitFor();
  await page.reload();
  await said(page, 'So far').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('article', { name: /^ada/ }).getByText('interrupted').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  held.open();
  expect(await app.parley.transcript(id)).toEqual(['user: Go on', 'ada: So far']);
  expect(app.provider.requests.at(-1)?.abortedAt).toBeDefined();
});

test('the server is killed: the page says so, keeps what is written, sends it when the server is back, and nothing twice', {
  timeout: 90_000,
}, async () => {
  app.provider.script(answers);
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Before');
  await said(page, 'Re: Before').waitFor();
  await app.parley.kill();
  const banner = page.getByRole('status').filter({ hasText: "Can't reach Parley. Your messages are saved" });
  await banner.waitFor();
  await say(page, 'Meanwhile');
  await page.getByText('Will be sent when Parley is back.').waitFor();
  await composer(page).fill('Not finished');
  await said(page, 'Re: Before').waitFor();
  await app.parley.restartThere();
  await said(page, 'Re: Meanwhile').waitFor({ timeout: 40_000 });
  await banner.waitFor({ state: 'detached' });
  expect(await composer(page).inputValue()).toBe('Not finished');
  await say(page, 'Afterwards');
  await said(page, 'Re: Afterwards').waitFor();
  const spoken = ['user: Before', 'ada: Re: Before', 'user: Meanwhile', 'ada: Re: Meanwhile'];
  expect(await app.parley.transcript(id)).toEqual([...spoken, 'user: Afterwards', 'ada: Re: Afterwards']);
  expect(await page.getByRole('log').getByRole('article').count()).toBe(6);
});

test('an answer that a kill cut short stays as far as it was heard, and can be had again', {
  timeout: 90_000,
}, async () => {
  const held = gate();
  app.provider.script(() => ({ steps: [...text('The first half'), { kind: 'gate', until: held.until }] }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Tell me');
  await said(page, 'The first half').waitFor();
  // What was streamed is on disk within a quarter of a second.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await app.parley.kill();
  held.open();
  await app.parley.restartThere();
  await page.getByRole('article', { name: /^ada/ }).getByText('interrupted').waitFor({ timeout: 40_000 });
  await said(page, 'The first half').waitFor();
  app.provider.script(() => ({ steps: text('All of it this time') }));
  await page.getByRole('article', { name: /^ada/ }).hover();
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await said(page, 'All of it this time').waitFor();
});

test('what is done in one tab is so in the other: names, pins, archiving, messages, approvals', {
  timeout: 60_000,
}, async () => {
  app.provider.script(writesDown);
  const { id } = await app.parley.createSession({ agentId: 'clerk', name: 'Shared' });
  await app.parley.createSession({ agentId: 'ada', name: 'Set aside' });
  const page = await app.open(`/sessions/${id}`);
  const tab = await app.openTab(page, `/sessions/${id}`);
  await composer(tab).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: /^Rename/ }).click();
  await page.getByRole('textbox', { name: 'New name' }).fill('Renamed');
  await page.keyboard.press('Enter');
  await row(tab, /Renamed/).waitFor();
  await row(tab, /Renamed/).focus();
  await tab.keyboard.press('p');
  await row(page, /Pinned/).waitFor();
  await row(page, /Set aside/).focus();
  await page.keyboard.press('e');
  await expect.poll(() => row(tab, /Set aside/).count()).toBe(0);

  await say(tab, 'Write it down');
  const card = (where: typeof page) =>
    where.getByRole('log').getByRole('group', { name: 'clerk wants to use todo_add' });
  await card(page).waitFor();
  await card(tab).waitFor();
  await expect.poll(() => tab.title()).toMatch(/^\(1\)/);
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  await card(tab).waitFor({ state: 'detached' });
  await said(page, 'Noted.').waitFor();
  await said(tab, 'Noted.').waitFor();
  await expect.poll(() => tab.title()).not.toMatch(/^\(/);
  expect(app.trouble.filter((one) => !isLostServer(one))).toEqual([]);
});

test('when the tab that holds the stream is closed, another one takes over and misses nothing', {
  timeout: 60_000,
}, async () => {
  app.provider.script(answers);
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  const tab = await app.openTab(page, `/sessions/${id}`);
  await composer(tab).waitFor();
  await say(page, 'Both hear this');
  await said(tab, 'Re: Both hear this').waitFor();
  await page.close();
  await app.parley.say(id, { content: 'Only one is left' });
  await said(tab, 'Re: Only one is left').waitFor();
  await say(tab, 'And it goes on');
  await said(tab, 'Re: And it goes on').waitFor();
  expect(await tab.getByRole('log').getByRole('article').count()).toBe(6);
});

test('somebody who looks elsewhere is notified, once, if they asked for it', { timeout: 60_000 }, async () => {
  app.provider.script(writesDown);
  const { id } = await app.parley.createSession({ agentId: 'clerk' });
  const page = await app.open('/', { permissions: ['notifications'] });
  // Before the page asks what it may do.
  await page.addInitScript(KEEP_NOTICES);
  await page.goto(`${app.parley.url}/settings`);
  await page.getByRole('checkbox', { name: 'Enable notifications' }).check();
  await page.evaluate('Object.defineProperty(document, "hidden", { get: () => true })');
  const { turn } = await app.parley.send(id, { content: 'Write it down' });
  await expect.poll(() => page.evaluate('notices')).toEqual(['clerk wants to use todo_add']);
  const { actions } = await app.parley.ok<{ actions: { id: string }[] }>('GET', `/api/actions?session=${id}`);
  await app.parley.ok('POST', `/api/actions/${actions[0]!.id}/answer`, { decision: 'once' });
  await until(
    () => app.parley.turn(turn.id),
    ({ state }) => state === 'complete',
  );
  expect(await page.evaluate('notices')).toEqual(['clerk wants to use todo_add']);
});

/** Runs in the page. */
const KEEP_NOTICES = `globalThis.notices = [];
globalThis.Notification = class {
  static permission = 'granted';
  static requestPermission = async () => 'granted';
  constructor(title) { notices.push(title); }
};`;

/** A page whose server was killed says so in its console. */
function isLostServer(trouble: string): boolean {
  return /ERR_CONNECTION|Failed to fetch|network/i.test(trouble);
}
