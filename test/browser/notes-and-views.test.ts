import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { List, ListItem } from '../../contract/lists.ts';
import type { Note } from '../../contract/notes.ts';
import type { View } from '../../contract/views.ts';
import { text } from '../harness/scripted-script.ts';
import { callAsTold } from '../suites/calling.ts';
import { expectUsable } from './axe.ts';
import { chooseInMenu } from './doing.ts';
import { PHONE, phoneProblems } from './phone.ts';
import { composer, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [{ agentId: 'ada', displayName: 'Ada', toolAllowlist: ['lists_*'], approvals: { 'lists_*': 'allow' } }],
  });
  app.provider.script((request) => (request.said.startsWith('call ') ? callAsTold(request) : { steps: text('Fine.') }));
}, 60_000);
afterAll(() => app.close());

const panels = (page: Page) => page.getByRole('complementary', { name: 'Panels' });
const newNote = (name: string, words = '') => app.parley.ok<Note>('POST', '/api/notes', { name, text: words });
const note = (id: string) => app.parley.ok<Note>('GET', `/api/notes/${id}`);

async function show(kind: 'Note' | 'View', name: string): Promise<Page> {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).waitFor();
  await page.getByRole('button', { name: 'Open panel' }).click();
  await page.getByRole('menuitem', { name: kind, exact: true }).click();
  await panels(page)
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
  await panels(page).getByRole('tab', { name }).waitFor();
  return page;
}

test('a note is read, written, merged by lines with what others write, and is there as it was', {
  timeout: 90_000,
}, async () => {
  const { id } = await newNote('Plan', '# Plan\n\nFirst\n\nSecond\n\nThird\n');
  await newNote('Ideas', 'See [[Plan]].');
  const page = await show('Note', 'Plan');
  await panels(page).getByRole('heading', { name: 'Plan' }).waitFor();
  await panels(page).getByRole('navigation', { name: 'Linked from' }).getByRole('link', { name: 'Ideas' }).waitFor();
  await expectUsable(app, page, 'note');
  await page.setViewportSize({ width: 1440, height: 900 });
  await panels(page).getByRole('button', { name: 'Write' }).click();
  const box = panels(page).getByRole('textbox', { name: 'Text' });
  await app.parley.ok('PATCH', `/api/notes/${id}`, { text: '# Plan\n\nFirst\n\nSecond\n\nThird, by another\n' });
  await expect.poll(() => box.inputValue()).toContain('Third, by another');
  await box.fill('# Plan\n\nFirst, by me\n\nSecond\n\nThird, by another\n');
  await app.parley.ok('PATCH', `/api/notes/${id}`, {
    text: '# Plan\n\nFirst\n\nSecond\n\nThird, by another again\n',
  });
  await page.keyboard.press('Control+s');
  await expect
    .poll(async () => (await note(id)).text)
    .toBe('# Plan\n\nFirst, by me\n\nSecond\n\nThird, by another again\n');
  await expect.poll(() => box.inputValue()).toContain('Third, by another again');

  await panels(page).getByRole('button', { name: 'Note actions' }).click();
  await chooseInMenu(page, 'Versions');
  const versions = page.getByRole('dialog', { name: 'Versions of Plan' });
  await versions.getByRole('listitem').last().getByRole('button').click();
  await versions.getByText('Third', { exact: true }).waitFor();
  await versions.getByRole('button', { name: 'Restore this version' }).click();
  await expect.poll(async () => (await note(id)).text).toBe('# Plan\n\nFirst\n\nSecond\n\nThird\n');
  expect(app.trouble).toEqual([]);
});

test('where two change the same line of a note, nothing is saved until one is chosen', {
  timeout: 60_000,
}, async () => {
  const { id } = await newNote('Clash', 'One line\n');
  const page = await show('Note', 'Clash');
  await panels(page).getByRole('button', { name: 'Write' }).click();
  const box = panels(page).getByRole('textbox', { name: 'Text' });
  await page.route(
    `**/api/notes/${id}`,
    async (route) => {
      if (route.request().method() === 'PATCH')
        await app.parley.ok('PATCH', `/api/notes/${id}`, { text: 'Their line\n' });
      await route.continue();
    },
    { times: 1 },
  );
  await box.fill('My line\n');
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Edited in two places' });
  await dialog.getByText('Their line').waitFor();
  expect((await note(id)).text).toBe('Their line\n');
  await dialog.getByRole('button', { name: 'Use mine' }).click();
  await expect.poll(async () => (await note(id)).text).toBe('My line\n');
  expect(app.trouble).toEqual([]);
});

async function books(): Promise<{ list: List; items: ListItem[]; view: View }> {
  const list = await app.parley.ok<List>('POST', '/api/lists', {
    name: 'Books',
    fields: [{ id: 'state', name: 'State', type: 'choice', choices: ['new', 'reading', 'read'] }],
  });
  const { items } = await app.parley.ok<{ items: ListItem[] }>('POST', `/api/lists/${list.id}/items`, {
    items: [
      { title: 'Dune', values: { state: 'new' }, due: '2030-05-04' },
      { title: 'Emma', values: { state: 'reading' } },
      { title: 'Ulysses', values: { state: 'new' } },
    ],
  });
  const query = { lists: [list.id], group: 'values.state' };
  const view = await app.parley.ok<View>('POST', '/api/views', { name: 'Reading', query, layout: 'board' });
  return { list, items, view };
}

test('a board follows what others tick off, and cards are moved by dragging and by keyboard', {
  timeout: 90_000,
}, async () => {
  const { list, items } = await books();
  const page = await show('View', 'Reading');
  const column = (name: string) => panels(page).getByRole('group', { name, exact: true });
  await column('new').getByText('Dune').waitFor();
  await column('read').waitFor();
  await expectUsable(app, page, 'view-board');
  await page.setViewportSize({ width: 1440, height: 900 });
  const item = async (at: number) => app.parley.ok<ListItem>('GET', `/api/lists/${list.id}/items/${items[at]!.id}`);
  await app.parley.ok('PATCH', `/api/lists/${list.id}/items/${items[1]!.id}`, {
    values: { state: 'read' },
    done: true,
  });
  await column('read').getByText('Emma').waitFor();
  await expect.poll(() => column('read').getByRole('checkbox').isChecked()).toBe(true);
  await column('new').getByText('Dune').dragTo(column('reading'));
  await expect.poll(async () => (await item(0)).values.state).toBe('reading');
  await column('reading').getByText('Dune').waitFor();
  await column('new').getByRole('button', { name: 'Move Ulysses to' }).press('Enter');
  await page.getByRole('menuitem', { name: 'read', exact: true }).press('Enter');
  await expect.poll(async () => (await item(2)).values.state).toBe('read');
  await column('read').getByText('Ulysses').waitFor();

  await panels(page).getByRole('button', { name: 'Table', exact: true }).click();
  await panels(page).getByRole('columnheader', { name: 'State' }).waitFor();
  await expectUsable(app, page, 'view-table');
  await page.setViewportSize({ width: 1440, height: 900 });
  await panels(page).getByRole('button', { name: 'Calendar' }).click();
  await panels(page).getByText('2 without a date').waitFor();
  await expectUsable(app, page, 'view-calendar');
  await page.setViewportSize({ width: 1440, height: 900 });
  await panels(page).getByRole('button', { name: 'List', exact: true }).click();
  await panels(page).getByRole('list', { name: 'Reading' }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('on a phone a board scrolls in itself, also with what an agent changed', { timeout: 60_000 }, async () => {
  const { items, view } = await books();
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const change = { item: items[1]!.id, values: { state: 'read' } };
  await app.parley.say(id, { content: `call lists_update ${JSON.stringify(change)}` });
  const page = await app.open(`/artifacts/${view.id}`, PHONE);
  await page.getByRole('group', { name: 'read', exact: true }).getByText('last changed by Ada').waitFor();
  expect(await phoneProblems(page, 'board')).toEqual([]);
});

test('a table is sorted and ticked off, and a calendar leads from month to month and to its days, by keyboard', {
  timeout: 90_000,
}, async () => {
  const { list, items } = await books();
  const now = new Date();
  const day = (month: number, date: number) => {
    const at = new Date(now.getFullYear(), now.getMonth() + month, date, 12);
    return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
  };
  for (const [at, due] of [day(0, 15), day(1, 10), day(0, 15)].entries())
    await app.parley.ok('PATCH', `/api/lists/${list.id}/items/${items[at]!.id}`, { due });
  const query = { lists: [list.id] };
  await app.parley.ok<View>('POST', '/api/views', { name: 'Dates', query, layout: 'table' });
  const page = await show('View', 'Dates');
  const table = panels(page).getByRole('table', { name: 'Dates' });
  const shown = () => table.getByRole('button', { name: /^(?:Dune|Emma|Ulysses)$/ }).allTextContents();
  await expect.poll(shown).toEqual(['Dune', 'Emma', 'Ulysses']);
  const title = table.getByRole('columnheader', { name: 'Title' });
  for (const [direction, order] of [
    ['ascending', ['Dune', 'Emma', 'Ulysses']],
    ['descending', ['Ulysses', 'Emma', 'Dune']],
  ] as const) {
    await title.getByRole('button').press('Enter');
    await expect.poll(() => title.getAttribute('aria-sort')).toBe(direction);
    await expect.poll(shown).toEqual(order);
  }
  await table.getByRole('checkbox', { name: /Emma/ }).press('Space');
  const item = async (at: number) => app.parley.ok<ListItem>('GET', `/api/lists/${list.id}/items/${items[at]!.id}`);
  await expect.poll(async () => (await item(1)).doneAt).not.toBeNull();

  await panels(page).getByRole('button', { name: 'Calendar' }).press('Enter');
  const calendar = panels(page).getByRole('table', { name: 'Dates' });
  const fifteenth = calendar.getByRole('button', { name: /15.*, 2 rows$/ });
  await fifteenth.press('Enter');
  await expect.poll(() => fifteenth.getAttribute('aria-pressed')).toBe('true');
  const onDay = panels(page).getByRole('list').filter({ hasText: 'Dune' });
  await onDay.getByText('Ulysses').waitFor();
  await onDay.getByRole('checkbox', { name: /Dune/ }).press('Space');
  await expect.poll(async () => (await item(0)).doneAt).not.toBeNull();
  const heading = panels(page).getByRole('heading', { level: 2 });
  const month = await heading.textContent();
  await panels(page).getByRole('button', { name: 'Next month' }).press('Enter');
  await calendar.getByRole('button', { name: /10.*, 1 row$/ }).press('Enter');
  await panels(page).getByRole('listitem').getByText('Emma').waitFor();
  await panels(page).getByRole('button', { name: 'Previous month' }).press('Enter');
  await expect.poll(() => heading.textContent()).toBe(month);
  await panels(page).getByRole('button', { name: 'Next month' }).press('Enter');
  await panels(page).getByRole('button', { name: 'Today' }).press('Enter');
  await expect.poll(() => heading.textContent()).toBe(month);
  expect(await panels(page).locator('[aria-current=date]').count()).toBe(1);
  expect(app.trouble).toEqual([]);
});

test('a view is filtered, and what is selected in it goes with the message', { timeout: 60_000 }, async () => {
  const { view } = await books();
  await app.parley.ok('PATCH', `/api/views/${view.id}`, { name: 'Queue', layout: 'table' });
  const page = await show('View', 'Queue');
  await panels(page).getByRole('button', { name: 'Filter, sort and group' }).click();
  const dialog = page.getByRole('dialog', { name: 'Filter, sort and group' });
  await dialog.getByRole('button', { name: 'Add filter' }).click();
  await dialog.getByLabel('Field').selectOption('values.state');
  await dialog.getByLabel('Value').fill('new');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => panels(page).getByRole('button', { name: 'Emma', exact: true }).count()).toBe(0);
  await panels(page).getByRole('button', { name: 'Dune', exact: true }).click();
  await page.locator('[data-composer]').getByText('Queue, 1 selected').waitFor();
  expect(app.trouble).toEqual([]);
});

test('a link to a note opens it beside the session, and on a page of its own', { timeout: 60_000 }, async () => {
  const { id } = await newNote('Linked', 'The words of the note');
  await newNote('Links', 'Go to [[Linked]], or [by address](/artifacts/ID).'.replace('ID', id));
  const page = await show('Note', 'Links');
  await panels(page).getByRole('link', { name: 'Linked', exact: true }).click();
  await panels(page).getByRole('tab', { name: 'Linked' }).waitFor();
  await panels(page).getByText('The words of the note').waitFor();
  const other = await app.open(`/artifacts/${id}`);
  await other.getByRole('heading', { name: 'Linked', level: 1 }).waitFor();
  await other.getByText('The words of the note').waitFor();
  await expectUsable(app, other, 'artifact');
  expect(app.trouble).toEqual([]);
});

test('everything is on one page: found by its words, put in the trash and taken out of it', {
  timeout: 60_000,
}, async () => {
  await newNote('Recipe', 'Whisk three eggs');
  const page = await app.open('/');
  await page.getByRole('link', { name: 'Lists and notes' }).click();
  await page.getByRole('heading', { name: 'Lists and notes' }).waitFor();
  await page.getByRole('link', { name: /^Recipe/ }).waitFor();
  await expectUsable(app, page, 'artifacts');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('searchbox', { name: 'Search lists, notes, views and files' }).fill('whisk');
  await page.getByRole('link', { name: /Whisk three eggs/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Search lists, notes, views and files' }).fill('');
  await page.getByRole('button', { name: 'Move Recipe to the trash' }).click();
  await expect.poll(() => page.getByRole('link', { name: /^Recipe/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Trash', exact: true }).click();
  await page.getByRole('button', { name: 'Restore or delete Recipe' }).click();
  await chooseInMenu(page, 'Restore');
  await expect.poll(() => page.getByRole('link', { name: /^Recipe/ }).count()).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('Recipe');
  await page.getByRole('option', { name: /^Recipe/ }).click();
  await page.getByRole('heading', { name: 'Recipe', level: 1 }).waitFor();
  expect(app.trouble).toEqual([]);
});
