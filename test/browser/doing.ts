import type { Locator, Page } from 'playwright-core';
import { composer } from './web-app.ts';

/** What people do in every flow. */
export async function say(page: Page, words: string): Promise<void> {
  await composer(page).fill(words);
  await composer(page).press('Enter');
}

/** A session in the list; its row is called what it shows, with its status in words. */
export function row(page: Page, name: string | RegExp) {
  return page.getByRole('treeitem', { name });
}

/** The id of the session that is open. */
export function openSession(page: Page): string {
  return new URL(page.url()).pathname.split('/').at(-1)!;
}

export function toast(page: Page, words: string | RegExp) {
  return page.getByRole('dialog').filter({ hasText: words });
}

export async function chooseInMenu(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('menuitem', { name }).click();
}

/** Arrow keys until the item has the keyboard, then Enter. */
export async function chooseByKeys(page: Page, name: string): Promise<void> {
  await pressUntil(page, 'ArrowDown', page.getByRole('menuitem', { name }));
  await page.keyboard.press('Enter');
}

export async function tabTo(page: Page, place: Locator): Promise<void> {
  await pressUntil(page, 'Tab', place);
}

async function pressUntil(page: Page, key: string, place: Locator): Promise<void> {
  await place.waitFor();
  for (let presses = 0; presses < 80; presses++) {
    if (await place.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never comes to ${place}`);
}
