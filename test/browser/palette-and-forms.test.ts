import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import type { PageTextKey } from '../../web/i18n/en.ts';
import { text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { composer, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada', welcomeMessage: 'I am **Ada**.' },
      { agentId: 'long', displayName: 'Principal staff engineer for everything that nobody else wants to look after' },
    ],
  });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
}, 60_000);
afterAll(() => app.close());

async function sessionCalled(name: string): Promise<string> {
  const { id } = await app.parley.ok<Session>('POST', '/api/sessions', { agentId: 'ada' });
  await app.parley.ok('PUT', `/api/sessions/${id}/name`, { name });
  return id;
}

const sessionOf = (id: string) => app.parley.ok<Session>('GET', `/api/sessions/${id}`);

/** Enter is pressed once the entry is the selected one: the verbs of a session are offered when the session has loaded. */
async function runInPalette(page: Page, words: string, entry: PageTextKey): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(words);
  await page.getByRole('option', { name: en[entry], selected: true }).waitFor();
  await page.keyboard.press('Enter');
}

test('what is typed while the palette is loading is in it when it has loaded, and Escape takes it back', async () => {
  await sessionCalled('Quince jelly');
  const page = await app.open('/');
  const { promise: mayLoad, resolve: load } = Promise.withResolvers<void>();
  await page.route('**/assets/palette-*.js', (route) => mayLoad.then(() => route.continue()));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('nothing');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('quinces');
  await page.keyboard.press('Backspace');
  load();
  await page.getByRole('option', { name: /Quince jelly/, selected: true }).waitFor();
  expect(await page.getByRole('combobox').inputValue()).toBe('quince');
});

test('the palette puts what is called like the words first, and leaves out what only has their letters', {
  timeout: 60_000,
}, async () => {
  await sessionCalled('Competitor research: pricing pages of seven vendors');
  const page = await app.open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('settings');
  await expect
    .poll(() => page.getByRole('option').allTextContents())
    .toEqual([expect.stringContaining('Open settings')]);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/settings');
  expect(app.trouble).toEqual([]);
});

test('a session is renamed, pinned, moved, copied and archived from the palette', { timeout: 60_000 }, async () => {
  const id = await sessionCalled('Plans for the archive');
  await app.parley.say(id, { content: 'First thoughts' });
  const page = await app.open(`/sessions/${id}`);
  await runInPalette(page, 'rename', 'palette.rename');
  const field = page.getByRole('dialog').getByRole('textbox');
  await expect.poll(() => field.inputValue()).toBe('Plans for the archive');
  await field.fill('Plans for the attic');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await sessionOf(id)).title).toBe('Plans for the attic');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await runInPalette(page, 'pin', 'palette.pin');
  await expect.poll(async () => (await sessionOf(id)).pinnedAt).not.toBeNull();
  await runInPalette(page, 'folder', 'palette.move');
  await page.getByRole('dialog').getByRole('textbox').fill('Attic');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await sessionOf(id)).folder).toBe('Attic');
  await runInPalette(page, 'clear', 'palette.clear');
  await page
    .getByRole('dialog')
    .getByText(/^Permanently deletes/)
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await runInPalette(page, 'archive', 'palette.archive');
  await expect.poll(async () => (await sessionOf(id)).archivedAt).not.toBeNull();
  await page.goto(`${app.parley.url}/sessions/${id}`);
  await page.getByRole('banner').waitFor();
  await runInPalette(page, 'fork', 'palette.fork');
  await page.waitForURL((url) => url.pathname.startsWith('/sessions/') && !url.pathname.endsWith(id));
  expect(app.trouble).toEqual([]);
});

test('the workspace of a session is found in the palette and in the menu of the session, on a telephone, too', {
  timeout: 60_000,
}, async () => {
  const id = await sessionCalled('With a folder');
  const page = await app.open(`/sessions/${id}`);
  await runInPalette(page, 'workspace', 'palette.workspace');
  const dialog = page.getByRole('dialog', { name: en['workspace.title'] });
  await dialog.getByRole('textbox').fill(app.parley.home);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  const phone = await app.open(`/sessions/${id}`, { viewport: { width: 360, height: 740 }, hasTouch: true });
  await phone.getByRole('button', { name: en['conversation.actions'] }).tap();
  await phone.getByRole('menuitem', { name: en['sidebar.workspace'] }).tap();
  await phone.getByRole('dialog', { name: en['workspace.title'] }).getByRole('textbox').fill('/nowhere at all');
  await phone.getByRole('button', { name: en['workspace.save'] }).tap();
  await phone.getByRole('alert').getByText('/nowhere at all').waitFor();
  expect(app.trouble).toEqual([]);
});

test('a session that does not exist is called so once, on its page and in the title of the tab', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/sessions/nowhere');
  await page.getByRole('heading', { level: 1, name: en['conversation.missing'] }).waitFor();
  await expect.poll(() => page.title()).toBe(`${en['conversation.missing']} · Parley`);
  const words = await page.getByRole('main').textContent();
  expect(words!.match(/not found/gi)).toHaveLength(1);
  expect(words).toContain(en['conversation.missingHint']);
  expect(app.trouble).toEqual([]);
});

test('details over a narrow page take the keyboard in, say what they are and give it back', {
  timeout: 60_000,
}, async () => {
  const page = await app.open(`/sessions/${await sessionCalled('Narrow')}`, {
    viewport: { width: 900, height: 700 },
  });
  // The box takes the focus once the session is there.
  await page.locator('textarea:focus').waitFor();
  const toggle = page.getByRole('banner').getByRole('button', { name: en['nav.details'] });
  const sheet = page.getByRole('dialog', { name: en['nav.details'] });
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => sheet.getByRole('button', { name: en['action.close'] }).click(),
  ]) {
    await toggle.focus();
    await page.keyboard.press('Enter');
    await sheet.waitFor();
    await page.locator('[role="dialog"] :focus, [role="dialog"]:focus').waitFor();
    expect((await sheet.boundingBox())!.y).toBeGreaterThanOrEqual(44);
    await close();
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => toggle.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('complementary', { name: en['nav.details'] }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('a browser that is not signed in is told a command that works, ready to be copied', {
  timeout: 60_000,
}, async () => {
  const page = await app.stranger(app.parley.url, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByText('npx parley open', { exact: true }).waitFor();
  await page.getByRole('button', { name: en['message.copy'] }).click();
  await page.getByRole('button', { name: en['copy.done'] }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npx parley open');
});

test('a new agent from scratch begins without errors; they come with leaving a field and with saving, by its label', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/agents/new?blank=true');
  const id = page.getByRole('textbox', { name: en['agents.field.agentId'], exact: true });
  await id.waitFor();
  const problems = page.getByRole('list', { name: en['agents.problems'] }).getByRole('listitem');
  expect(await problems.count()).toBe(0);
  expect(await page.locator('[aria-invalid]').count()).toBe(0);
  await id.focus();
  await page.keyboard.press('Tab');
  await page.locator('[aria-invalid="true"]').waitFor();
  expect(await page.locator('[aria-invalid]').count()).toBe(1);
  await page.getByRole('textbox', { name: en['agents.field.color'] }).focus();
  await page.getByRole('button', { name: en['agents.make'] }).click();
  await expect.poll(() => problems.count()).toBeGreaterThan(1);
  const words = (await problems.allTextContents()).join(' ');
  expect(words).toContain(en['agents.field.displayName']);
  expect(words).not.toMatch(/agentId|displayName/);
  await expect.poll(() => id.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  expect(app.trouble).toEqual([]);
});

test('an empty session offers the starters of its agent, which the form writes; providers have names', {
  timeout: 60_000,
}, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await page.getByRole('button', { name: en['welcome.abilities'] }).waitFor();
  await page.goto(`${app.parley.url}/agents/ada`);
  await page.getByRole('tab', { name: en['agents.tab.form'] }).click();
  const field = page.getByRole('textbox', { name: en['agents.field.starters'] });
  await field.fill('Plan my week\n\nSum up, in short, the news\n');
  const provider = page.getByRole('combobox', { name: en['agents.field.chat.provider'] });
  expect(await provider.locator('option').allTextContents()).toEqual(
    expect.arrayContaining(['OpenAI', 'OpenAI-compatible', 'Anthropic']),
  );
  await page.getByRole('button', { name: en['agents.save'] }).click();
  await page.getByText(en['agents.savedNow']).waitFor();
  await page.goto(`${app.parley.url}/sessions/${id}`);
  const starter = page.getByRole('button', { name: 'Sum up, in short, the news' });
  await starter.waitFor();
  expect(await page.getByRole('button', { name: en['welcome.abilities'] }).count()).toBe(0);
  await starter.click();
  expect(await composer(page).inputValue()).toBe('Sum up, in short, the news');
  expect(app.trouble).toEqual([]);
});

test('where nothing waits the dashboard begins with the agents, and a long name stays inside its card', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/', { viewport: { width: 360, height: 740 } });
  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name: /Principal/ }) });
  await card.waitFor();
  expect(await page.getByRole('heading', { name: en['dashboard.needsYou'] }).count()).toBe(0);
  const name = card.getByRole('heading').getByRole('button');
  const [outer, inner] = [await card.boundingBox(), await name.boundingBox()];
  expect(inner!.x + inner!.width).toBeLessThanOrEqual(outer!.x + outer!.width);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

test('settings mark the section that was clicked; the search gives an example with an agent there is', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/settings');
  await page.goto(`${app.parley.url}/settings#usage`);
  const sections = page.getByRole('navigation', { name: en['settings.sections'] });
  await sections.getByRole('link', { name: en['settings.mcp'] }).click();
  const marked = () => sections.locator('[aria-current]').allTextContents();
  await expect.poll(marked).toEqual([en['settings.mcp']]);
  await page.goto(`${app.parley.url}/search`);
  await page.getByRole('button', { name: 'agent:ada' }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'agent:ada');
});

test('a new link is selected with its host in sight', { timeout: 60_000 }, async () => {
  const id = await sessionCalled('To be shared');
  await app.parley.ok('POST', `/api/sessions/${id}/messages`, { content: 'Hello' });
  const page = await app.open(`/sessions/${id}`, { viewport: { width: 360, height: 740 } });
  await page.getByRole('article', { name: /^Ada/ }).waitFor();
  await runInPalette(page, 'share this', 'keys.share');
  await page.getByRole('button', { name: en['share.make'] }).click();
  const field = page.getByRole('dialog').getByRole('textbox');
  await expect
    .poll(() => field.evaluate((input) => (input as unknown as { selectionEnd: number }).selectionEnd))
    .toBeGreaterThan(20);
  expect(await field.evaluate((input) => input.scrollLeft)).toBe(0);
});

test('what an agent greets with is shown as it will look, and on a touch screen every target is 44 pixels', {
  timeout: 60_000,
}, async () => {
  const touch = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const page = await app.open('/agents/ada', touch);
  await page.locator('strong', { hasText: 'Ada' }).waitFor();
  await page.goto(`${app.parley.url}/sessions/${await sessionCalled('Empty')}`);
  await page.locator('main strong', { hasText: 'Ada' }).filter({ visible: true }).waitFor();
  for (const at of ['/agents/ada', '/settings', '/search', '/agents/new?blank=true']) {
    await page.goto(app.parley.url + at);
    await page.locator('main h1').waitFor();
    await expect.poll(() => page.locator('main button').count()).toBeGreaterThan(1);
    expect(await page.evaluate(SMALL_TARGETS), at).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth'), at).toBe(360);
  }
});

/** Runs in the page: buttons and fields that are lower than a finger needs. */
const SMALL_TARGETS = `[...document.querySelectorAll('main :is(button, select, summary, input:not([type=checkbox], [type=radio]))')]
  .filter((target) => target.checkVisibility() && target.getBoundingClientRect().height < 44)
  .map((target) => target.outerHTML.slice(0, 160))`;
