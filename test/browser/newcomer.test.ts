import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { composer, said, WebApp } from './web-app.ts';

let app: WebApp;
let page: Page;
beforeAll(async () => {
  app = await WebApp.start({ isFirstStart: true });
}, 60_000);
afterAll(() => app.close());

/** One of the things that the dashboard offers to somebody who has just arrived. */
async function tryOut(step: RegExp): Promise<void> {
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('main').getByRole('button', { name: step }).click();
  await page.waitForURL('**/sessions/*');
}

test('a newcomer watches a delegation, brings in a guest, approves, finds what was said and switches between answers', {
  timeout: 90_000,
}, async () => {
  page = await app.open('/');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await app.shot(page, 'newcomer-dashboard');

  await tryOut(/delegate to Reviewer/);
  await said(page, /Delegating to Reviewer/).waitFor();
  await page
    .getByRole('article', { name: /^Reviewer/ })
    .getByText('sub-agent of Concierge')
    .waitFor();
  await said(page, /Done\. Reviewer says: .*Three questions are open/).waitFor();
  await app.shot(page, 'newcomer-delegation');

  await tryOut(/Bring in Reviewer/);
  await page
    .getByRole('article', { name: /^Reviewer/ })
    .getByText('guest', { exact: true })
    .waitFor();

  await tryOut(/Approve an action/);
  await said(page, /wants to use todo_add/).waitFor();
  await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
  await expect.poll(async () => (await app.parley.ok<{ actions: [] }>('GET', '/api/actions')).actions).toEqual([]);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Three questions');
  await page
    .getByRole('option', { name: /Three questions/ })
    .first()
    .click();
  await page.waitForURL(/message=/);
  await said(page, 'Three questions are open.').waitFor();

  await switchWhileStreaming();
  await keepsFirstSteps();
  expect(app.trouble).toEqual([]);
});

/** Six sessions later, what was not tried yet is still offered, and what was tried is marked. */
async function keepsFirstSteps(): Promise<void> {
  await page.getByRole('link', { name: 'Dashboard' }).click();
  const steps = page.getByRole('main').locator('section', { has: page.getByRole('heading', { name: 'Get started' }) });
  await steps.getByRole('button', { name: /Create an agent/ }).waitFor();
  expect(await steps.getByLabel('Done').count()).toBe(3);
  await steps.getByRole('button', { name: 'Dismiss' }).click();
  await steps.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.getByRole('navigation').getByText('count to 301').first().waitFor();
  expect(await steps.count()).toBe(0);
}

async function switchWhileStreaming(): Promise<void> {
  for (const words of ['count to 300', 'count to 301']) {
    const before = page.url();
    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: /^New session/ })
      .first()
      .click();
    await page.waitForURL((url) => url.href !== before);
    await page.getByRole('heading', { level: 1, name: /new session/i }).waitFor();
    await composer(page).fill(words);
    await composer(page).press('Enter');
    await page.getByRole('heading', { level: 1, name: words }).waitFor();
  }
  await page.getByRole('treeitem', { name: /count to 300/ }).click();
  await said(page, /^1 2 3 .* 300$/).waitFor({ timeout: 60_000 });
  await page.getByRole('treeitem', { name: /count to 301/ }).click();
  await said(page, /^1 2 3 .* 301$/).waitFor({ timeout: 60_000 });
}
