import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { expectUsable } from './axe.ts';
import { imported, topOf } from './looking.ts';
import { composer, said, WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start();
}, 60_000);
beforeEach(() => app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) })));
afterAll(() => app.close());

test('find reaches what was said long ago, counts everything, and steps by key', LONG, async () => {
  const id = await imported(
    app,
    2000,
    (at) => (at % 500 === 7 ? `The **needle** of ${at} lies here` : `Hay number ${at}`),
    'haystack',
  );
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Hay number 1999').waitFor();
  await composer(page).press('Control+f');
  const box = page.getByRole('textbox', { name: 'Find in this session' });
  await box.fill('needl');
  await page.getByText('4 of 4').waitFor();
  await said(page, 'of 1507 lies here').waitFor();
  expect(await page.evaluate(`CSS.highlights.get('found-current').size`)).toBe(1);
  await box.press('Enter');
  await page.getByText('1 of 4').waitFor();
  await said(page, 'of 7 lies here').waitFor();
  expect(await page.getByRole('log').getByRole('article').count()).toBeLessThanOrEqual(40);
  await expect.poll(() => page.evaluate(`CSS.highlights.get('found-current').size`)).toBe(1);
  const marked = await page.evaluate(`(() => {
    const [range] = CSS.highlights.get('found-current');
    const { top, bottom } = range.getBoundingClientRect();
    const page = document.querySelector('[role=log]').getBoundingClientRect();
    return { words: range.toString(), isSeen: top >= page.top && bottom <= page.bottom };
  })()`);
  expect(marked).toEqual({ words: 'needl', isSeen: true });
  await expectUsable(app, page, 'find');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('F3');
  await page.getByText('2 of 4').waitFor();
  await said(page, 'of 507 lies here').waitFor();
  await box.press('Shift+Enter');
  await page.getByText('1 of 4').waitFor();
  await app.parley.say(id, { content: 'Another needle' });
  await page.getByText('1 of 6').waitFor();
  await box.fill('nowhere at all');
  await page.getByText('No matches').waitFor();
  await box.press('Escape');
  await page.locator('[data-composer] textarea:focus').waitFor();
  expect(await page.evaluate(`CSS.highlights.size`)).toBe(0);
  expect(app.trouble).toEqual([]);
});

test(
  'a conversation that fits into the window offers no way to its end while something in it is found',
  LONG,
  async () => {
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    await app.parley.say(id, { content: 'apple pie and apple cake' });
    const page = await app.open(`/sessions/${id}`);
    await said(page, /^Re: apple pie/).waitFor();
    await composer(page).press('Control+f');
    await page.getByRole('textbox', { name: 'Find in this session' }).fill('apple');
    await page.getByText('1 of 4').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 of 4').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
    expect(app.trouble).toEqual([]);
  },
);

test('a second Ctrl+F in the box is left to the browser', LONG, async () => {
  const id = await imported(app, 10, (at) => `Some ${at}`, 'twice-found');
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Some 9').waitFor();
  await page.evaluate(`(() => {
    window.kept = [];
    addEventListener('keydown', (event) => event.key === 'f' && setTimeout(() => window.kept.push(event.defaultPrevented)));
  })()`);
  await page.getByRole('log').press('Control+f');
  await page.getByRole('textbox', { name: 'Find in this session' }).press('Control+f');
  await expect.poll(() => page.evaluate('window.kept')).toEqual([true, false]);
  expect(app.trouble).toEqual([]);
});

test('an address that names a message leads to it, however far up it is', LONG, async () => {
  const id = await imported(app, 2000, (at) => `Said ${at} once`, 'named');
  const early = (
    await app.parley.ok<{ messages: { id: string; text: string }[] }>(
      'GET',
      `/api/sessions/${id}/messages?after=40&limit=10`,
    )
  ).messages.find(({ text: words }) => words === 'Said 42 once')!;
  const page = await app.open(`/sessions/${id}?message=${early.id}`);
  await said(page, 'Said 42 once').waitFor();
  await expect.poll(() => topOf(page, early.id)).toBeGreaterThan(100);
  await expect.poll(() => topOf(page, early.id)).toBeLessThan(700);
  await expect.poll(() => page.locator(`[data-key="${early.id}"][data-marked]`).count()).toBe(0);
  expect(app.trouble).toEqual([]);
});

test('an address that names a message on another branch asks before it shows that branch', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const { message } = await app.parley.say(id, { content: 'The first way' });
  await app.parley.ok('POST', `/api/messages/${message.id}/revisions?wait=30`, { content: 'The second way' });
  const page = await app.open(`/sessions/${id}?message=${message.id}`);
  await said(page, 'Re: The second way').waitFor();
  const notice = page.getByRole('dialog').filter({ hasText: 'another branch' });
  await notice.getByRole('button', { name: 'Switch to it' }).click();
  await said(page, 'Re: The first way').waitFor();
  await page.goto(`${app.parley.url}/sessions/${id}?message=nowhere`);
  await page.getByRole('dialog').filter({ hasText: 'was deleted' }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('find counts and steps through places, also several in one message', LONG, async () => {
  const words = ['nothing', 'A needle, another **needle** and a third needle', 'one needle', 'hay'];
  const id = await imported(app, 4, (at) => words[at]!, 'places');
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'one needle').waitFor();
  await composer(page).press('Control+f');
  const box = page.getByRole('textbox', { name: 'Find in this session' });
  await box.fill('needle');
  const shown = () =>
    page.evaluate(`[...CSS.highlights.get('found-current')].map((range) => range.startContainer.data)`);
  for (const [count, place] of [
    ['1 of 4', 'A needle, another '],
    ['2 of 4', 'needle'],
    ['3 of 4', ' and a third needle'],
    ['4 of 4', 'one needle'],
  ]) {
    await page.getByText(count!, { exact: true }).waitFor();
    await expect.poll(shown).toEqual([place]);
    expect(await page.evaluate(`CSS.highlights.get('found').size`)).toBe(3);
    await box.press('Enter');
  }
  await page.getByText('1 of 4', { exact: true }).waitFor();
  expect(app.trouble).toEqual([]);
});

test(
  'what a search finds is shown as plain words with the hits marked, on its page and in the palette',
  LONG,
  async () => {
    const answer = '## Release **plan**\n\nSee `npm run zebra` and [the zebra notes](https://example.com/zebra).';
    app.provider.script(() => ({ steps: text(answer) }));
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    await app.parley.say(id, { content: 'Go' });
    const page = await app.open('/search?q=zebra');
    const hit = page.locator('[data-hit]');
    await hit.waitFor();
    const words = 'Release plan See npm run zebra and the zebra notes.';
    expect(await hit.locator('span[dir]').last().textContent()).toBe(words);
    expect(await hit.locator('mark').allTextContents()).toEqual(['zebra', 'zebra']);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zebra');
    const found = page.getByRole('option', { name: words });
    await found.waitFor();
    expect(await found.locator('mark').allTextContents()).toEqual(['zebra', 'zebra']);
  },
);
