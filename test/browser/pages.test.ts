import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInList } from '../../contract/access.ts';
import type { AgentDetail } from '../../contract/agents.ts';
import { text } from '../harness/scripted-script.ts';
import { signInBrowser } from '../harness/signed-in-browser.ts';
import { chooseInMenu, openSession, row, say, toast } from './doing.ts';
import { said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada', description: 'Knows things.' },
      { agentId: 'team/bob', displayName: 'Bob', parentAgentId: 'ada' },
    ],
  });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
}, 60_000);
afterAll(() => app.close());

const agent = (id: string) => app.parley.ok<AgentDetail>('GET', `/api/agents/${id}`);

/** The JSON editor, as far as it is one text. */
async function writeJson(page: Page, json: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'JSON definition' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(json);
}

test('an agent is made from a template, as a form and as JSON on one draft that says what is wrong with it', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/agents/new');
  await page.getByRole('link', { name: /^Writer/ }).click();
  await page.getByRole('status').getByText('Not created yet').waitFor();
  expect(await page.getByRole('button', { name: 'Discard changes' }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'Id' }).fill('scribe');
  await page.getByRole('textbox', { name: 'Name' }).fill('Scribe');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON definition' });
  await expect.poll(() => editor.textContent()).toContain('"displayName": "Scribe"');
  const problems = page.getByRole('list', { name: 'Problems' });
  await writeJson(page, '{ "agentId": "scribe", "displayName": "Scribe", "extends": "writer", "colour": 1');
  await problems.getByText('Missing closing brace.').waitFor();
  await page.getByRole('tab', { name: 'Form' }).click();
  await page.getByText('Fix the JSON to use the form.').waitFor();
  await page.getByRole('button', { name: 'Edit JSON' }).click();
  const sound = { agentId: 'scribe', displayName: 'Scribe', extends: 'writer', description: 'Writes it down.' };
  await writeJson(page, JSON.stringify({ ...sound, colour: 1 }));
  await problems.getByText('Unknown field').waitFor();
  await page.getByRole('button', { name: 'Create agent' }).click();
  expect(page.url()).toContain('/agents/new');
  await writeJson(page, JSON.stringify({ ...sound, chat: (await agent('ada')).definition.chat }));
  await page.getByRole('tab', { name: 'Form' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Writes it down.');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/agents/scribe');
  await page.getByRole('heading', { name: 'Scribe', level: 1 }).waitFor();

  await page.getByRole('button', { name: 'More actions for Scribe' }).click();
  await chooseInMenu(page, 'Duplicate');
  await expect.poll(() => page.getByRole('textbox', { name: 'Id' }).inputValue()).toBe('scribe-copy');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.waitForURL('**/agents/scribe-copy');
  expect((await agent('scribe-copy')).definition.extends).toBe('writer');
  expect(app.trouble).toEqual([]);
});

test('who saves after somebody else is shown both and decides; who leaves is asked first', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/agents/team/bob');
  await page.getByRole('tab', { name: 'Form' }).click();
  const greeting = page.getByRole('textbox', { name: 'Greeting' });
  await greeting.fill('Mine');
  const { version } = await agent('team/bob');
  await app.parley.ok('PATCH', '/api/agents/team/bob', { welcomeMessage: 'Theirs' }, { 'If-Match': version });
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Changed elsewhere' });
  await dialog.getByRole('row', { name: 'welcomeMessage Theirs Mine' }).waitFor();
  await dialog.getByRole('button', { name: 'Overwrite' }).click();
  await expect.poll(async () => (await agent('team/bob')).welcomeMessage).toBe('Mine');
  await page.getByText('Saved. Applies from the next turn.').waitFor();

  await greeting.fill('Never mind');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
  await leaving.getByRole('button', { name: 'Keep editing' }).click();
  expect(await greeting.inputValue()).toBe('Never mind');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await leaving.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  expect((await agent('team/bob')).welcomeMessage).toBe('Mine');
  expect(app.trouble).toEqual([]);
});

test('a file with errors is named on the dashboard and on the page of its agent, until it is mended', {
  timeout: 60_000,
}, async () => {
  const { chat } = (await agent('ada')).definition;
  await app.parley.ok('POST', '/api/agents', { agentId: 'ledger', displayName: 'Ledger', chat });
  const file = path.join(app.parley.home, 'agents/ledger.json');
  const sound = readFileSync(file, 'utf8');
  const page = await app.open('/');
  const banner = page.getByRole('status').filter({ hasText: 'Some files contain errors.' });
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  expect(await banner.count()).toBe(0);
  writeFileSync(file, '{ "displayName": ');
  await banner.getByText(/^agents\/ledger\.json: line 1, column \d+: /).waitFor();
  await page.goto(`${app.parley.url}/agents/ledger`);
  const warning = page.getByRole('status').filter({ hasText: 'the last valid version is in use' });
  await warning.getByText(/agents\/ledger\.json: line 1/).waitFor();
  writeFileSync(file, sound);
  await warning.waitFor({ state: 'detached' });
  expect(app.trouble).toEqual([]);
});

test('an agent is tried out without a trace, deleted, and taken back', { timeout: 60_000 }, async () => {
  const { chat } = (await agent('ada')).definition;
  await app.parley.ok('POST', '/api/agents', { agentId: 'passing', displayName: 'Passing', chat });
  const page = await app.open('/agents/passing');
  await page.getByRole('button', { name: 'Test message' }).click();
  await page.getByRole('textbox', { name: 'Send a test message' }).fill('Hello?');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Test message' }).getByText('Re: Hello?').waitFor();
  expect(await row(page, /Hello/).count()).toBe(0);
  await page.getByRole('button', { name: 'More actions for Passing' }).click();
  await chooseInMenu(page, 'Delete');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.getByRole('button', { name: 'New session with Ada' }).waitFor();
  expect(await page.getByRole('button', { name: 'New session with Passing' }).count()).toBe(0);
  await toast(page, 'Passing deleted').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Passing', level: 1 }).waitFor();
  expect((await agent('passing')).agentId).toBe('passing');
  await expect
    .poll(async () => (await app.parley.ok<{ sessions: object[] }>('GET', '/api/sessions')).sessions.length)
    .toBe(0);
  expect(app.trouble).toEqual([]);
});

test('the dashboard shows who there is and who works for whom, and begins and finds sessions', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/');
  await page.getByRole('main').getByText('Knows things.').first().waitFor();
  const tree = page.getByRole('tree', { name: 'Agent hierarchy' });
  await tree.getByRole('treeitem', { name: /Bob/ }).waitFor();
  expect(await tree.getByRole('treeitem', { name: /Bob/ }).getAttribute('aria-level')).toBe('2');
  await page.getByRole('button', { name: 'New session with Bob' }).click();
  await page.waitForURL('**/sessions/*');
  await page.getByText('Mine').waitFor();
  await say(page, 'A question for Bob');
  await said(page, 'Re: A question for Bob').waitFor();
  const id = openSession(page);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  const recent = page.getByRole('region', { name: 'Recent sessions' });
  await page.getByRole('tree', { name: 'Agent hierarchy' }).waitFor();
  expect(await recent.count()).toBe(0);
  await page.keyboard.press('Control+b');
  await recent.getByRole('link', { name: /A question for Bob/ }).click();
  await page.keyboard.press('Control+b');
  await page.waitForURL(`**/sessions/${id}`);

  await page.getByRole('link', { name: 'Search' }).click();
  await page.getByRole('searchbox', { name: 'Search all messages' }).fill('question from:user');
  const hit = page.locator('[data-hit]');
  await hit.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/sessions/${id}?message=*`);
  await said(page, 'A question for Bob').waitFor();
  expect(app.trouble).toEqual([]);
});

test('the look is chosen, kept on the device and the same in every tab; another browser gets in, and this one out', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/settings', { colorScheme: 'dark' });
  const look = (where: Page) => where.evaluate('({ ...document.documentElement.dataset })');
  const tab = await app.openTab(page, '/settings');
  await page.getByRole('radio', { name: 'Light' }).check({ force: true });
  await page.getByRole('radio', { name: 'Compact' }).check({ force: true });
  expect(await look(page)).toEqual({ theme: 'light', density: 'compact' });
  await expect.poll(() => look(tab)).toEqual({ theme: 'light', density: 'compact' });
  await page.reload();
  expect(await look(page)).toEqual({ theme: 'light', density: 'compact' });
  const sessions = page.getByRole('navigation', { name: 'Sessions' });
  await page.setViewportSize({ width: 360, height: 740 });
  await sessions.waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await sessions.waitFor();
  await page.keyboard.press('Control+b');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await sessions.count()).toBe(0);
  await page.getByRole('radio', { name: 'System' }).check({ force: true });
  await expect.poll(() => look(page)).toEqual({ theme: 'dark', density: 'compact' });

  await page.getByRole('button', { name: 'Sign in another browser' }).click();
  const link = await page
    .getByRole('status')
    .getByText(/#code=/)
    .textContent();
  const other = await app.stranger(link!);
  await other.getByRole('banner').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('a link that was used leads to the way in, and so do words that are no link; a good one lets in', {
  timeout: 60_000,
}, async () => {
  const link = async () => (await app.parley.ok<{ url: string }>('POST', '/api/sign-in-links', {})).url;
  const used = await link();
  await (await app.stranger(used)).getByRole('banner').waitFor();
  const page = await app.stranger(used);
  await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
  expect(await page.title()).toBe('Sign in to Parley');
  await page.getByRole('alert').getByText('This link was used or has expired.').waitFor();
  const box = page.getByRole('textbox', { name: 'Or paste the link here' });
  await box.fill('let me in');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText("This isn't a sign-in link.").waitFor();
  await box.fill(await link());
  await page.keyboard.press('Enter');
  await page.getByRole('banner').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  expect(app.trouble).toEqual([]);
});

test('another port of this host gets the cookie and can do nothing with it; a sign-in ends in every open tab at once', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/settings');
  const cookies: string[] = [];
  const elsewhere = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '');
    const { port } = new URL(app.parley.url);
    response.setHeader('Set-Cookie', [`parley=x; path=/api`, `parley-${port}=x; path=/api`]);
    response.end('<title>elsewhere</title>');
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const other = await page.context().newPage();
  await other.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
  await other.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/again`);
  elsewhere.close();
  const seen = cookies.find((cookie) => cookie.includes('parley'))!;
  expect(seen).toBeTruthy();
  const replay = (headers: Record<string, string>) => fetch(`${app.parley.url}/api/sessions`, { headers });
  expect((await replay({ Cookie: seen })).status).toBe(401);
  expect((await replay({ Cookie: seen, 'Sec-Fetch-Site': 'same-origin', Origin: app.parley.url })).status).toBe(401);
  // The cookies that the other port has set do not lock this one out.
  await page.reload();
  await page.getByText('This browser', { exact: true }).waitFor();
  const tab = await app.openTab(page, '/');
  await tab.getByRole('banner').waitFor();
  const { signIns } = await app.parley.ok<SignInList>('GET', '/api/sign-ins');
  const { id } = signIns.find(({ isActive }) => isActive)!;
  await app.parley.ok('DELETE', `/api/sign-ins/${id}`);
  for (const open of [page, tab]) await open.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('settings list signed-in browsers and sign another one out', { timeout: 60_000 }, async () => {
  const { id } = await signInBrowser(app.parley, 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0');
  const page = await app.open('/settings');
  await page.getByRole('button', { name: 'Sign out Firefox on Windows' }).click();
  await toast(page, 'Firefox on Windows was signed out.').waitFor();
  await page.getByText('Firefox on Windows', { exact: true }).waitFor({ state: 'detached' });
  const { signIns } = await app.parley.ok<SignInList>('GET', '/api/sign-ins');
  expect(signIns.map((signIn) => signIn.id)).not.toContain(id);
  await app.shot(page, 'settings-sign-ins');
  expect(app.trouble).toEqual([]);
});

test('who leaves the search before it has begun stays away', { timeout: 60_000 }, async () => {
  const page = await app.open('/search');
  const box = page.getByRole('main').getByRole('searchbox');
  await page.route('**/assets/settings-page*', async (asked) => {
    await page.waitForTimeout(1000);
    await asked.continue();
  });
  await box.fill('wor');
  await page.waitForURL('**/search?q=wor');
  await box.fill('words');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/settings');
  await page.goBack();
  await expect.poll(() => box.inputValue()).toBe('wor');
  expect(app.trouble).toEqual([]);
});
