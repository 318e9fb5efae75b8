import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { row } from './doing.ts';
import { said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start();
}, 60_000);
afterAll(() => app.close());

const STEPS = 6;

/** Runs in the page: how long the newest answer was at each of its next steps; gives up when it stands still. */
const WATCH = (steps: number) => `new Promise((resolve) => {
  const lengths = [];
  let changedAt = performance.now();
  const timer = setInterval(() => {
    const length = [...document.querySelectorAll('[role=log] [role=article], [role=log] article')].at(-1)?.textContent.length ?? 0;
    if (length !== lengths.at(-1)) { lengths.push(length); changedAt = performance.now(); }
    if (lengths.length <= ${steps} && performance.now() - changedAt < 4000) return;
    clearInterval(timer);
    resolve(lengths);
  }, 5);
})`;

/** The answer is longer at every step, and there are many of them while it is under way. */
async function expectGrowth(page: Page, after: string, steps = STEPS): Promise<void> {
  await said(page, 'word').waitFor();
  const lengths = (await page.evaluate(WATCH(steps))) as number[];
  expect(lengths.length, `steps after: ${after} (${lengths})`).toBeGreaterThan(steps);
  expect(lengths, after).toEqual(lengths.toSorted((a, b) => a - b));
}

/** Runs in the page: `cutStream()` breaks the connection on which the events of all sessions arrive. */
const CUTTABLE = `const realFetch = globalThis.fetch;
globalThis.fetch = (url, init = {}) => {
  if (!String(url).includes('/api/events')) return realFetch(url, init);
  const cut = new AbortController();
  globalThis.cutStream = () => cut.abort();
  return realFetch(url, { ...init, signal: AbortSignal.any([cut.signal, init.signal ?? cut.signal]) });
}`;

const hide = (
  isHidden: boolean,
) => `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
document.dispatchEvent(new Event('visibilitychange'))`;

test.each([5, 20, 50])(
  'at %i tokens a second an answer grows step by step after it is opened, reloaded, left and come back to, hidden and reconnected',
  {
    timeout: 90_000,
  },
  async (rate) => {
    app.provider.script(() => ({ steps: [{ kind: 'repeat', text: 'word ', count: 100_000, delayMs: 1000 / rate }] }));
    const { id } = await app.parley.createSession({ agentId: 'ada', name: `Rate ${rate}` });
    const { id: other } = await app.parley.createSession({ agentId: 'ada', name: `Beside ${rate}` });
    const { turn } = await app.parley.send(id, { content: 'Go on' });
    const page = await app.open(`/sessions/${id}`);
    await expectGrowth(page, 'open');
    await page.addInitScript(CUTTABLE);
    await page.reload();
    await expectGrowth(page, 'reload');

    await row(page, `Beside ${rate}`).click();
    await page.waitForURL(`**/${other}`);
    await row(page, `Rate ${rate}`).click();
    await expectGrowth(page, 'another session and back');

    await page.evaluate(hide(true));
    await expectGrowth(page, 'hidden', 1);
    await page.evaluate(hide(false));
    await expectGrowth(page, 'shown again');

    await page.evaluate('cutStream()');
    await expectGrowth(page, 'reconnection');

    const tab = await app.openTab(page, `/sessions/${id}`);
    await expectGrowth(tab, 'a second tab');
    await page.close();
    await expectGrowth(tab, 'the tab that held the stream is closed');
    await app.parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
  },
);

test('a turn that the provider rate-limited says when it is tried again, also after a reload', {
  timeout: 60_000,
}, async () => {
  let requests = 0;
  app.provider.script(() => {
    requests += 1;
    return requests === 1 ? { status: 429, headers: { 'retry-after': '6' }, body: '{}' } : { steps: text('At last') };
  });
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  await app.parley.send(id, { content: 'Go' });
  const waiting = page.getByText(/^Rate limited, retrying in \d s$/);
  await waiting.waitFor();
  const first = await waiting.textContent();
  await expect.poll(() => waiting.textContent()).not.toBe(first);
  await page.reload();
  await waiting.waitFor();
  await said(page, 'At last').waitFor();
  expect(await waiting.count()).toBe(0);
});
