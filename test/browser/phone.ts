import type { Page } from 'playwright-core';
import { settled } from './places.ts';

export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** What is wrong on a phone with what is shown, after the next two frames. */
export async function phoneProblems(page: Page, name: string): Promise<string[]> {
  await settled(page);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');
  const found: string[][] = [];
  for (const looksFor of [PHONE_PROBLEMS, SMALL_TARGETS, SMALL_LETTERS]) found.push(await page.evaluate(looksFor));
  return found.flat().map((problem) => `${name}: ${problem}`);
}

/**
 * Runs in the page: controls whose target is smaller than 44 pixels, by what a finger hits around their middle. Links
 * inside sentences are exempt, as are controls that are covered, cut off or partly under a bar that stays in place while
 * they scroll.
 */
export const SMALL_TARGETS = `(() => {
  const reach = 21;
  const isCutOff = (element, box) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (!at.matches('[role=menu], [role=tree], [role=log], [role=listbox], [role=dialog], main') && !/auto|scroll/.test(getComputedStyle(at).overflowY)) continue;
      const frame = at.getBoundingClientRect();
      if (box.bottom > Math.min(frame.bottom, innerHeight) || box.top < frame.top) return true;
    }
    return false;
  };
  const small = [];
  const controls = 'button, a[href], [role=button], [role=treeitem], [role=menuitem], [role=option], [role=tab], select, summary, textarea, input:not([type=checkbox], [type=radio])';
  for (const element of document.querySelectorAll(controls)) {
    if (element.matches('p a, .prose-parley a')) continue;
    const box = element.getBoundingClientRect();
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const hits = (dx, dy) => {
      const at = document.elementFromPoint(x + dx, y + dy);
      if (at === null) return false;
      const bar = at.closest('.sticky');
      return element === at || element.contains(at) || (bar !== null && !bar.contains(element) && (dx !== 0 || dy !== 0));
    };
    const isCut = isCutOff(element, box);
    if (isCut || box.width === 0 || !element.checkVisibility() || element.matches(':disabled, .sr-only') || !hits(0, 0)) continue;
    const isInside = ([dx, dy]) => x + dx >= 0 && x + dx < innerWidth && y + dy >= 0 && y + dy < innerHeight;
    const around = [[-reach, 0], [reach, 0], [0, -reach], [0, reach]].filter(isInside);
    if (!around.every(([dx, dy]) => hits(dx, dy)))
      small.push((element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).slice(0, 40) + ' ' + Math.round(box.width) + 'x' + Math.round(box.height));
  }
  return small;
})()`;

/** Runs in the page: what is written into with letters so small that an iPhone zooms in, and stays there. */
const SMALL_LETTERS = `[...document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=file]), textarea, select, [contenteditable=true]')]
  .filter((field) => field.checkVisibility() && Number.parseFloat(getComputedStyle(field).fontSize) < 16)
  .map((field) => 'small letters: ' + (field.getAttribute('aria-label') ?? field.name) + ' ' + getComputedStyle(field).fontSize)`;

/** Runs in the page: what needs scrolling sideways, sticks out, or is too small for a finger. */
const PHONE_PROBLEMS = `(() => {
  const problems = [];
  // A page that is too wide makes the window of a phone wider.
  const width = Math.min(innerWidth, screen.width);
  if (document.documentElement.scrollWidth > width) problems.push('page scrolls sideways');
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth && at.tagName !== 'MAIN') return true;
    return false;
  };
  for (const main of document.querySelectorAll('main, [role=dialog]'))
    if (main.checkVisibility() && main.scrollWidth > main.clientWidth + 1) problems.push(main.tagName + ' scrolls sideways');
  for (const element of document.querySelectorAll('header :is(button, a), main :is(button, a, input, select, textarea, table, pre), [role=dialog] :is(button, a, input, select, textarea)')) {
    const box = element.getBoundingClientRect();
    const isSeen = box.width > 1 && element.checkVisibility() && !element.closest('.sr-only');
    if (isSeen && (box.left < -1 || box.right > width + 1) && !scrolls(element))
      problems.push('outside: ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40));
  }
  return problems;
})()`;
