import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { composer, said, WebApp } from './web-app.ts';

const LONG = { timeout: 60_000 };

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start();
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
}, 60_000);
afterAll(() => app.close());

async function openTalk(): Promise<Page> {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'Tea?' });
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Re: Tea?').waitFor();
  // What keeps the focus is loaded when the page is idle.
  await expect.poll(() => page.evaluate(IS_FOCUS_KEPT)).toBe(true);
  return page;
}

/** Runs in the page. */
const IS_FOCUS_KEPT = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/keep-focus-'))`;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).filter({ visible: true });

/** Uses a button by keyboard. */
async function press(page: Page, name: string): Promise<void> {
  await button(page, name).last().focus();
  await page.keyboard.press('Enter');
}

/** The name and role of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const at = document.activeElement;
    return [at.getAttribute('role') ?? at.tagName.toLowerCase(), at.getAttribute('aria-label') ?? at.id].join(' ');
  })()`);
}

test('what is done with a message by keyboard leaves the focus in the conversation', LONG, async () => {
  const page = await openTalk();
  const log = `log ${en['conversation.log']}`;
  await press(page, en['message.edit']);
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe(`button ${en['message.edit']}`);
  await press(page, en['message.edit']);
  // What is typed goes on where the message ends.
  await page.keyboard.type(' Or coffee?');
  await page.keyboard.press('Enter');
  await said(page, 'Re: Tea? Or coffee?').waitFor();
  await expect.poll(() => focused(page)).toBe(log);
  await press(page, en['message.again']);
  await expect.poll(() => page.getByText('2 of 2').count()).toBe(2);
  await expect.poll(() => focused(page)).toBe(log);
  expect(app.trouble).toEqual([]);
});

test('versions of a message are gone through by keyboard, back and forth', LONG, async () => {
  const page = await openTalk();
  await press(page, en['message.again']);
  await page.getByText('2 of 2').waitFor();
  await press(page, en['message.previousSibling']);
  await page.getByText('1 of 2').waitFor();
  await expect.poll(() => focused(page)).toBe(`button ${en['message.nextSibling']}`);
  await page.keyboard.press('Enter');
  await page.getByText('2 of 2').waitFor();
  await expect.poll(() => focused(page)).toBe(`button ${en['message.previousSibling']}`);
  expect(app.trouble).toEqual([]);
});

test('when a pane or a page goes away with the focus, the keyboard goes on in the page', LONG, async () => {
  const page = await openTalk();
  await page.getByRole('complementary').getByRole('button', { name: en['rail.copyId'] }).focus();
  await page.keyboard.press('Control+.');
  await expect.poll(() => focused(page)).toBe('div main');
  await page.keyboard.press('Control+.');
  await page.getByRole('log').focus();
  await page.keyboard.press('g');
  await page.keyboard.press(',');
  await page.getByRole('heading', { name: en['settings.appearance'] }).waitFor();
  await expect.poll(() => focused(page)).toBe('div main');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
  expect(app.trouble).toEqual([]);
});

test('after the last element of the page the focus goes to the browser, and not back into the page', LONG, async () => {
  const page = await openTalk();
  await page.getByRole('complementary').getByRole('button').last().focus();
  await page.keyboard.press('Tab');
  await page.waitForTimeout(300);
  expect(await focused(page)).toBe('body ');
  expect(app.trouble).toEqual([]);
});

test('who points beside everything takes the focus away on purpose', LONG, async () => {
  const page = await openTalk();
  await composer(page).focus();
  await page.getByRole('banner').click({ position: { x: 500, y: 20 } });
  const { id } = await app.parley.createSession({ agentId: 'bob' });
  await app.parley.say(id, { content: 'Something else happens' });
  await page.getByRole('treeitem', { name: /Something else happens/ }).waitFor();
  expect(await focused(page)).toBe('body ');
  expect(app.trouble).toEqual([]);
});
