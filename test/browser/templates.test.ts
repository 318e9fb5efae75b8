import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SessionTemplateList } from '../../contract/templates.ts';
import { text } from '../harness/scripted-script.ts';
import { violations } from './axe.ts';
import { composer, said, WebApp } from './web-app.ts';

const OPENING = 'Plan three days in Lisbon\n\nfor ';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada' },
      { agentId: 'team/bob', displayName: 'Bob' },
    ],
  });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
}, 60_000);
afterEach(async () => {
  for (const { id } of await templates()) await app.parley.ok('DELETE', `/api/session-templates/${id}`);
});
afterAll(() => app.close());

const make = (template: object) => app.parley.ok('POST', '/api/session-templates', template);
const templates = async () => (await app.parley.ok<SessionTemplateList>('GET', '/api/session-templates')).templates;

async function openSession(content: string, wanted: object = {}): Promise<Page> {
  const { id } = await app.parley.createSession({ agentId: 'ada', ...wanted });
  await app.parley.say(id, { content });
  const page = await app.open(`/sessions/${id}`);
  await said(page, `Re: ${content.split('\n')[0]}`).waitFor();
  return page;
}

const newWith = (page: Page) => page.getByRole('button', { name: 'New session with…' });
const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
/** The element itself, without what is in it, and what a button says. */
const hasKeyboard = (page: Page) =>
  page.evaluate<string>(`((element) =>
    element.cloneNode(false).outerHTML + (element.matches('button') ? element.textContent : '')
  )(document.activeElement)`);

/** Into the menu of what a session can begin with, by keyboard. */
async function openMenu(page: Page): Promise<void> {
  await newWith(page).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => hasKeyboard(page)).toContain('role="menuitem"');
}

/** What Enter would choose. */
const highlighted = (page: Page) => page.locator('[role="menuitem"][data-highlighted]').textContent();

async function manage(page: Page): Promise<void> {
  await openMenu(page);
  // The list may still grow: then its last rows are others.
  const secondLast = async () => {
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    return highlighted(page);
  };
  await expect.poll(secondLast).toBe('Manage templates…');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Session templates' }).waitFor();
}

test('a session is kept as a template and another one begins from it, without a mouse', {
  timeout: 60_000,
}, async () => {
  const page = await openSession(OPENING, { folder: 'Trips' });
  await page.getByRole('treeitem', { name: /Plan three days/ }).focus();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Save as template…' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Save as template' }).waitFor();
  expect(await field(page, 'Name').inputValue()).toBe('Plan three days in Lisbon for');
  expect(await field(page, 'Agent').inputValue()).toBe('ada');
  expect(await field(page, 'Folder').inputValue()).toBe('Trips');
  expect(await field(page, 'Opening message').inputValue()).toBe(OPENING);
  await expect.poll(() => hasKeyboard(page)).toContain('value="Plan three days');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Trip');
  await page.keyboard.press('Enter');
  await page.getByText('Saved “Trip”.').waitFor();
  await expect.poll(() => hasKeyboard(page)).toContain('role="treeitem"');
  const template = { name: 'Trip', agentId: 'ada', folder: 'Trips', title: null, opening: OPENING };
  expect(await templates()).toMatchObject([{ ...template, mode: 'full', sendsOpening: false }]);
  const before = page.url();
  await openMenu(page);
  await page.getByRole('menuitem', { name: 'Trip' }).waitFor();
  await page.keyboard.type('tri');
  await expect.poll(() => highlighted(page)).toBe('Trip');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.href !== before);
  await expect.poll(() => hasKeyboard(page)).toContain('aria-label="Message"');
  expect(await composer(page).inputValue()).toBe(OPENING);
  await page.keyboard.type('my aunt');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: /^Ada/ }).getByText('for my aunt').waitFor();
  await page.getByRole('treeitem', { name: 'Trips' }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('an opening that is to be sent is sent, from the palette as well', { timeout: 60_000 }, async () => {
  await make({
    name: 'Briefing',
    opening: 'What is on?',
    sendsOpening: true,
    title: 'Plan of the day',
    agentId: 'team/bob',
  });
  const page = await app.open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('briefing');
  await page.getByRole('option', { name: /New session from “Briefing”/ }).waitFor();
  await page.keyboard.press('Enter');
  await said(page, 'Re: What is on?').waitFor();
  await page.getByRole('treeitem', { name: /Plan of the day/ }).waitFor();
  expect(await composer(page).inputValue()).toBe('');
  await page.getByRole('article', { name: /^Bob/ }).waitFor();
});

test('two tabs show the same templates, whichever of them something is done in', { timeout: 60_000 }, async () => {
  const page = await openSession('Hello');
  const tab = await app.openTab(page, new URL(page.url()).pathname);
  await tab.getByRole('log').waitFor();
  await manage(page);
  await page.getByText('No templates yet').waitFor();
  await manage(tab);
  await tab.getByRole('button', { name: 'New template' }).click();
  await field(tab, 'Name').fill('Standup');
  await field(tab, 'Agent').selectOption({ label: 'Bob' });
  await field(tab, 'Opening message').fill('Yesterday I ');
  await tab.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('listitem').getByText('Bob · “Yesterday I”').waitFor();
  await page.bringToFront();
  await page.getByRole('button', { name: 'Edit “Standup”' }).click();
  await expect.poll(() => hasKeyboard(page)).toContain('value="Standup"');
  await field(page, 'Name').fill('Daily');
  await page.getByLabel('Read-only tools').last().check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => hasKeyboard(page)).toContain('Edit “Daily”');
  await tab.getByRole('listitem').getByText('Daily').waitFor();
  await tab.bringToFront();
  await tab.getByRole('button', { name: 'Delete “Daily”' }).click();
  await page.getByText('No templates yet').waitFor();
  await expect.poll(() => hasKeyboard(tab)).toContain('Undo');
  await tab.keyboard.press('Enter');
  await page.getByRole('listitem').getByText('Daily').waitFor();
  await expect.poll(() => hasKeyboard(tab)).toContain('Edit “Daily”');
  expect(await templates()).toMatchObject([
    { name: 'Daily', agentId: 'team/bob', opening: 'Yesterday I ', mode: 'read-only' },
  ]);
  await page.keyboard.press('Escape');
  await expect.poll(() => hasKeyboard(page)).toContain('New session with…');
  expect(app.trouble).toEqual([]);
});

test('what is written is not lost by Escape, and what is refused says why', { timeout: 60_000 }, async () => {
  await make({ name: 'Taken' });
  const page = await openSession('Hello');
  await manage(page);
  await page.getByRole('button', { name: 'New template' }).click();
  await field(page, 'Name').fill('Taken');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('A template with this name already exists.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  expect(await field(page, 'Name').inputValue()).toBe('Taken');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('dialog', { name: 'Session templates' }).waitFor();
  await expect.poll(() => hasKeyboard(page)).toContain('New template');
  expect(await templates()).toHaveLength(1);
});

test('a template whose agent is gone says so, and can be given another one', { timeout: 60_000 }, async () => {
  const passing = { agentId: 'passing', displayName: 'Passing', chat: { provider: 'demo' } };
  await app.parley.ok('POST', '/api/agents', passing);
  await make({ name: 'Old friend', agentId: 'passing' });
  const page = await openSession('Hello');
  await openMenu(page);
  await page.getByRole('menuitem', { name: 'Old friend', exact: true }).waitFor();
  await app.parley.ok('DELETE', '/api/agents/passing');
  const item = page.getByRole('menuitem', { name: 'Old friend (unavailable)' });
  await item.waitFor();
  expect(await item.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Escape');
  await manage(page);
  const row = page.getByRole('listitem').filter({ hasText: 'Old friend' });
  await row.getByText('passing no longer exists. Choose another agent.').waitFor();
  expect(await row.getByRole('button', { name: /New session/ }).count()).toBe(0);
  await row.getByRole('button', { name: 'Edit “Old friend”' }).click();
  await field(page, 'Agent').selectOption({ label: 'Ada' });
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByRole('button', { name: 'New session from “Old friend”' }).click();
  await page.getByRole('heading', { name: 'Ada' }).waitFor();
});

test.each(['dark', 'light'] as const)(
  'the dialogs pass the checks for WCAG 2.2 AA in the %s theme, wide and narrow',
  {
    timeout: 90_000,
  },
  async (colorScheme) => {
    await make({ name: 'Standup', agentId: 'ada', folder: 'Mornings', opening: 'Yesterday I ', sendsOpening: true });
    await make({ name: 'A name that is far too long to stand in a row '.repeat(3), mode: 'read-only' });
    const page = await app.open('/', { colorScheme });
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 740 });
      if (width === 360) await page.getByRole('button', { name: 'Sessions', exact: true }).click();
      await newWith(page).click();
      await page.getByRole('menuitem', { name: 'Standup' }).waitFor();
      await app.shot(page, `templates-menu-${colorScheme}-${width}`);
      expect([width, 'menu', await violations(page)]).toEqual([width, 'menu', []]);
      await page.getByRole('menuitem', { name: 'Manage templates…' }).click();
      await page.getByRole('listitem').first().waitFor();
      await app.shot(page, `templates-${colorScheme}-${width}`);
      expect([width, 'list', await violations(page)]).toEqual([width, 'list', []]);
      await page.getByRole('button', { name: 'Edit “Standup”' }).click();
      await field(page, 'Opening message').waitFor();
      await app.shot(page, `template-${colorScheme}-${width}`);
      expect([width, 'form', await violations(page)]).toEqual([width, 'form', []]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([width, overflow]).toEqual([width, 0]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(app.trouble).toEqual([]);
  },
);
