import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { callAsTold, resultsIn } from '../suites/calling.ts';
import { expectUsable, violations } from './axe.ts';
import { chooseByKeys, openSession, say, tabTo } from './doing.ts';
import { composer, said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ agents: [{ agentId: 'ada', displayName: 'Ada', toolAllowlist: ['panels_*'] }] });
  app.provider.script((request) => (request.said.startsWith('call ') ? callAsTold(request) : { steps: text('Fine.') }));
}, 60_000);
afterAll(() => app.close());

const panels = (page: Page) => page.getByRole('complementary', { name: 'Panels' });
const tab = (page: Page, name: string | RegExp) => panels(page).getByRole('tab', { name });

async function openPage(): Promise<Page> {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).waitFor();
  return page;
}

async function openPanel(page: Page, kind: string): Promise<void> {
  await page.getByRole('button', { name: 'Open panel' }).click();
  await page.getByRole('menuitem', { name: kind, exact: true }).click();
}

/** What a tool answers to the agent of the session. */
async function use(page: Page, tool: string, input: object = {}): Promise<string> {
  const id = openSession(page);
  const { message } = await app.parley.say(id, { content: `call ${tool} ${JSON.stringify(input)}` });
  const answer = await until(
    async () => (await app.parley.messages(id)).find(({ seq, role }) => seq! > message.seq! && role === 'assistant'),
    (found) => found !== undefined,
  );
  return resultsIn(answer as never)[0]!.output;
}

test('an agent sees the panels of the page, opens, selects and closes them', { timeout: 60_000 }, async () => {
  const page = await openPage();
  await expect.poll(async () => JSON.parse(await use(page, 'panels_list'))).toEqual({ panels: [], isVisible: true });
  expect(await use(page, 'panels_open', { type: 'changes' })).toMatch(/^Opened as panel /);
  await tab(page, 'Changes').waitFor();
  await panels(page).getByText('No agent has changed files in this session yet.').waitFor();
  await expect
    .poll(async () => JSON.parse(await use(page, 'panels_selected')))
    .toMatchObject({ panelType: 'changes', title: 'Changes', isSelected: true, isVisible: true });
  const { panels: open } = JSON.parse(await use(page, 'panels_list', { includeContext: true }));
  expect(open).toHaveLength(1);
  expect(await use(page, 'panels_open', { type: 'note', id: 'nobody-knows' })).toMatch(/^The page could not do that/);
  expect(await use(page, 'panels_open', { type: 'builder' })).toMatch(/^The page could not do that/);
  const { panelId } = open[0];
  expect(await use(page, 'panels_select', { panelId, items: ['one', 'two'] })).toMatch(/with 2 items/);
  await page.getByRole('group', { name: 'Context for your message' }).getByText('Changes, 2 selected').waitFor();
  expect(await use(page, 'panels_close', { panelId })).toBe(`Closed panel ${panelId}.`);
  await panels(page).waitFor({ state: 'detached' });
  await page.goto(`${app.parley.url}/`);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('what is open goes with the message, as a chip and never as text, and can be taken off', {
  timeout: 60_000,
}, async () => {
  const page = await openPage();
  await openPanel(page, 'Changes');
  const chip = page.locator('[data-composer]').getByRole('group', { name: 'Context for your message' });
  await chip.getByText('Changes').waitFor();
  await say(page, 'What do you see?');
  await said(page, 'What do you see?').waitFor();
  await page.getByRole('log').getByRole('group', { name: 'Context for your message' }).waitFor();
  const id = openSession(page);
  const [first] = await app.parley.messages(id);
  expect(first!.text).toMatch(
    /^<context panel-id="[\w-]+" panel-type="changes" panel-title="Changes" \/>\nWhat do you see\?$/,
  );
  expect(await page.getByText('<context').count()).toBe(0);
  expect((await app.parley.session(id)).title).toContain('What do you see?');
  await chip.getByRole('button', { name: 'Send without Changes' }).click();
  await chip.waitFor({ state: 'detached' });
  await say(page, 'And without?');
  await said(page, 'And without?').waitFor();
  await expect.poll(async () => (await app.parley.messages(id)).map(({ text }) => text)).toContain('And without?');
  expect(app.trouble).toEqual([]);
});

test('the room of panels is changed by keyboard, and what is open is there again after a reload', {
  timeout: 90_000,
}, async () => {
  const page = await openPage();
  await openPanel(page, 'Changes');
  await tab(page, 'Changes').waitFor();
  const edge = page.getByRole('separator', { name: 'Resize the conversation and the panels' });
  const before = Number(await edge.getAttribute('aria-valuenow'));
  await edge.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => edge.getAttribute('aria-valuenow')).toBe(String(before - 12));
  await expectUsable(app, page, 'panels');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  await tab(page, 'Changes').waitFor();
  expect(await edge.getAttribute('aria-valuenow')).toBe(String(before - 12));
  await tab(page, 'Changes').focus();
  await page.keyboard.press('Delete');
  await panels(page).waitFor({ state: 'detached' });
  await expect.poll(() => composer(page).evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
  await page.reload();
  await composer(page).waitFor();
  expect(await panels(page).count()).toBe(0);
  expect(app.trouble).toEqual([]);
});

const tabs = (page: Page) => panels(page).getByRole('tab');
const groups = (page: Page) => panels(page).getByRole('tablist');

/** Left and top of each panel, in the order of its tabs. */
async function places(page: Page): Promise<readonly (readonly [string, number, number])[]> {
  const all = await tabs(page).all();
  return Promise.all(
    all.map(async (one) => {
      const { x, y } = (await one.boundingBox())!;
      return [(await one.textContent())!, Math.round(x), Math.round(y)] as const;
    }),
  );
}

async function openTwo(page: Page): Promise<void> {
  await openPanel(page, 'Changes');
  await tab(page, 'Changes').waitFor();
  await openPanel(page, 'Note');
  await tab(page, 'Note').waitFor();
}

test('panels are split, moved and resized by keyboard alone, and stand there again after a reload', {
  timeout: 90_000,
}, async () => {
  const page = await openPage();
  await openTwo(page);
  expect(await groups(page).count()).toBe(1);
  await tab(page, 'Note').focus();
  await page.keyboard.press('Alt+Shift+ArrowDown');
  await expect.poll(() => groups(page).count()).toBe(2);
  const [changes, note] = await places(page);
  expect([changes![0], note![0], note![1] === changes![1], note![2] > changes![2]]).toEqual([
    ...['Changes', 'Note'],
    ...[true, true],
  ]);
  await expect.poll(() => tab(page, 'Note').evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  const divider = page.getByRole('separator', { name: 'Resize these panels' });
  await divider.focus();
  expect(await divider.getAttribute('aria-valuenow')).toBe('50');
  await page.keyboard.press('Shift+ArrowUp');
  await expect.poll(() => divider.getAttribute('aria-valuenow')).toBe('40');
  expect((await places(page))[1]![2]).toBeLessThan(note![2]);
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await tab(page, 'Note').waitFor();
  expect(await groups(page).count()).toBe(2);
  expect(await divider.getAttribute('aria-valuenow')).toBe('40');
  await divider.focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => divider.getAttribute('aria-valuenow')).toBe('50');
  // Back up, into the place of the other; then beside it, by the menu.
  await tab(page, 'Note').focus();
  await page.keyboard.press('Alt+Shift+ArrowUp');
  await expect.poll(() => groups(page).count()).toBe(1);
  await tabTo(page, panels(page).getByRole('button', { name: 'Move or close Note' }));
  await page.keyboard.press('Enter');
  await chooseByKeys(page, 'Move right');
  await expect.poll(() => groups(page).count()).toBe(2);
  const [left, right] = await places(page);
  expect([right![0], right![1] > left![1], right![2] === left![2]]).toEqual(['Note', true, true]);
  await tab(page, 'Changes').focus();
  await page.keyboard.press('Delete');
  await expect.poll(() => tabs(page).allTextContents()).toEqual(['Note']);
  expect(app.trouble).toEqual([]);
});

test('panels are dragged beside each other and back together, resized and closed with the mouse', {
  timeout: 90_000,
}, async () => {
  const page = await openPage();
  await openTwo(page);
  const { width, height } = (await panels(page).boundingBox())!;
  await tab(page, 'Note').dragTo(panels(page), { targetPosition: { x: width - 12, y: height / 2 } });
  await expect.poll(() => groups(page).count()).toBe(2);
  const [changes, note] = await places(page);
  expect([note![0], note![1] > changes![1], note![2] === changes![2]]).toEqual(['Note', true, true]);
  const divider = page.getByRole('separator', { name: 'Resize these panels' });
  const at = (await divider.boundingBox())!;
  await page.mouse.move(at.x, at.y + 100);
  await page.mouse.down();
  await page.mouse.move(at.x - 60, at.y + 100, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await places(page))[1]![1]).toBeLessThan(note![1] - 40);
  const first = panels(page).getByRole('tabpanel', { name: 'Changes' });
  await tab(page, 'Note').dragTo(first);
  await expect.poll(() => groups(page).count()).toBe(1);
  await panels(page).getByRole('button', { name: 'Close Note', exact: true }).click();
  await expect.poll(() => tabs(page).allTextContents()).toEqual(['Changes']);
  await panels(page).getByRole('button', { name: 'Move or close Changes' }).click();
  await page.getByRole('menuitem', { name: 'Close', exact: true }).click();
  await panels(page).waitFor({ state: 'detached' });
  expect(app.trouble).toEqual([]);
});

test('where there is no room, panels are sheets over the conversation', { timeout: 60_000 }, async () => {
  const page = await openPage();
  await page.setViewportSize({ width: 360, height: 740 });
  await openPanel(page, 'Changes');
  const sheet = page.getByRole('dialog', { name: 'Changes' });
  await sheet.waitFor();
  await app.shot(page, 'panel-sheet');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  const names = page.getByRole('navigation', { name: 'Panels' });
  await tabTo(page, names.getByRole('button', { name: 'Changes' }));
  await page.keyboard.press('Enter');
  await sheet.waitFor();
  await sheet.getByRole('button', { name: 'Close Changes' }).click();
  await sheet.waitFor({ state: 'detached' });
  await names.waitFor({ state: 'detached' });
  // One at a time: the name of another one leads to it.
  await openPanel(page, 'Changes');
  await sheet.waitFor();
  await page.keyboard.press('Escape');
  await openPanel(page, 'Note');
  await page.getByRole('dialog', { name: 'Note' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await names.getByRole('button', { name: 'Changes' }).click();
  await sheet.waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
  expect(app.trouble).toEqual([]);
});
