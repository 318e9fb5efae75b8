import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Somewhere in the app, whatever language it speaks. */
export interface Place {
  readonly name: string;
  readonly at: string;
  /** Not there at 360 pixels. */
  readonly isWide?: boolean;
  /** What has to be done to see it. */
  open?(page: Page): Promise<unknown>;
}

/** What opens over the page of a session, and over any other; each is closed with Escape. */
export function overlays(session: string): readonly Place[] {
  return [...beside(session), ...above(session)];
}

/** From the panes at the sides, for which there is no room on a narrow screen. */
function beside(session: string): Place[] {
  const at = `/sessions/${session}`;
  const isWide = true;
  return [
    { name: 'new-session-with', at, isWide, open: (page) => click(page, NEW_WITH, '[role="menu"]') },
    { name: 'row-menu', at, isWide, open: (page) => openRowMenu(page, session) },
    { name: 'move', at, isWide, open: (page) => openMove(page, session) },
    { name: 'seen', at, isWide, open: (page) => click(page, 'aside button:has(.lucide-eye)', '[role="dialog"] h3') },
  ];
}

function above(session: string): Place[] {
  const at = `/sessions/${session}`;
  return [
    { name: 'message-menu', at, open: openMessageMenu },
    { name: 'agents', at, open: (page) => click(page, '[data-composer] [aria-haspopup="menu"]', '[role^="menuitem"]') },
    { name: 'commands', at, open: (page) => write(page, '/', '[role="option"]') },
    { name: 'mention', at, open: (page) => write(page, '@', '[role="option"]') },
    { name: 'help', at, open: (page) => write(page, '/help\n', '[role="dialog"]') },
    { name: 'palette', at, open: (page) => press(page, 'Control+k', '[role="dialog"] [role="combobox"]') },
    { name: 'keys', at, open: (page) => press(page, '?', '[role="dialog"] dl') },
  ];
}

const NEW_WITH = 'nav [aria-haspopup="menu"]:has(.lucide-chevron-down)';

/** One after the other, each loaded from its address. Those at the same address are seen without leaving it. */
export function loaded(page: Page, url: string, places: readonly Place[]): AsyncGenerator<Place> {
  return visited(page, places, ({ at }) => page.goto(url + at));
}

/** The same inside the app, as whoever follows its links goes from one to the next. */
export function walked(page: Page, places: readonly Place[]): AsyncGenerator<Place> {
  return visited(page, places, ({ at }) => walk(page, at));
}

async function* visited(
  page: Page,
  places: readonly Place[],
  go: (place: Place) => Promise<unknown>,
): AsyncGenerator<Place> {
  let last = '';
  for (const place of places) {
    if (place.at !== last) await go(place);
    last = place.at;
    await page.getByRole('banner').waitFor();
    await place.open?.(page);
    await settled(page);
    yield place;
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  }
}

/** What was shown before may have the same words: it has to be gone first. */
async function walk(page: Page, at: string): Promise<void> {
  const here = new URL(page.url());
  const isAnotherPage = new URL(at, here).pathname !== here.pathname;
  await page.evaluate(`for (const main of document.querySelectorAll('main'))
    main.toggleAttribute('data-left', ${isAnotherPage} && main.checkVisibility())`);
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(at)}); dispatchEvent(new PopStateEvent('popstate'))`);
  await page.locator('main[data-left]').waitFor({ state: 'hidden' });
}

const IS_LOADING = `!document.querySelector('main') ||
  [...document.querySelectorAll('main p')].some((line) => /^(Loading…|Wird geladen …|.Lóádíñg…)/.test(line.textContent))`;

/** What the page shows has come: data, parts that are loaded when they are needed, fonts. */
export async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(IS_LOADING)).toBe(false);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

async function press(page: Page, keys: string, thenSee: string): Promise<void> {
  await page.locator('#main').focus();
  await page.keyboard.press(keys);
  await page.locator(thenSee).first().waitFor();
}

async function click(page: Page, what: string, thenSee: string): Promise<void> {
  await page.locator(what).filter({ visible: true }).last().click();
  await page.locator(thenSee).first().waitFor();
}

async function write(page: Page, words: string, thenSee: string): Promise<void> {
  const box = page.locator('[data-composer] textarea').filter({ visible: true });
  await box.fill('');
  await box.fill(words.trimEnd());
  if (words.endsWith('\n')) await box.press('Enter');
  await page.locator(thenSee).first().waitFor();
}

/** The toolbar of a message appears when the pointer is over the message. */
async function openMessageMenu(page: Page): Promise<void> {
  await page.locator('article').filter({ visible: true }).last().hover();
  await click(page, 'article [aria-haspopup="menu"]', '[role="menuitem"]');
}

async function openRowMenu(page: Page, session: string): Promise<void> {
  await page.locator(`[data-key="${session}"]`).click({ button: 'right' });
  await page.getByRole('menuitem').first().waitFor();
}

async function openMove(page: Page, session: string): Promise<void> {
  await openRowMenu(page, session);
  await page.locator('[role="menuitem"]:has(.lucide-folder-input)').click();
  await page.getByRole('dialog').getByRole('textbox').waitFor();
}
