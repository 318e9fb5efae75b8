import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, text } from '../harness/scripted-script.ts';
import { choose, imported, scrolled, topOf } from './looking.ts';
import { composer, said, WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start();
}, 60_000);
afterAll(() => app.close());

test(
  'sessions that stream keep streaming, their place and what was opened in them, while one goes from one to another',
  LONG,
  async () => {
    const one = await imported(app, 80, (at) => `First ${at}`, 'kept-one');
    const two = await imported(app, 80, (at) => `Second ${at}`, 'kept-two');
    const held = gate();
    app.provider.script(({ said: words }) => ({
      steps: [
        { kind: 'reasoning', text: 'Hm. ' },
        ...text(`Begin ${words}`),
        { kind: 'gate', until: held.until },
        ...text(` End ${words}`),
      ],
    }));
    await app.parley.send(one, { content: 'eins' });
    await app.parley.send(two, { content: 'zwei' });
    const page = await app.open(`/sessions/${one}`);
    await said(page, 'Begin eins').waitFor();
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await expect.poll(async () => (await scrolled(page)).toEnd).toBeGreaterThan(300);
    const before = await scrolled(page);
    await choose(page, 'kept-two');
    await said(page, 'Begin zwei').waitFor();
    expect(await page.getByRole('log').count()).toBe(1);
    expect(await page.getByRole('main').count()).toBe(1);
    const thoughts = page.getByRole('log').getByRole('button', { name: /Reasoning|Thinking/ });
    await thoughts.click();
    await choose(page, 'kept-one');
    await expect.poll(() => scrolled(page)).toEqual(before);
    await choose(page, 'kept-two');
    await expect.poll(() => thoughts.getAttribute('aria-expanded')).toBe('true');
    await choose(page, 'kept-one');
    // What is behind is not drawn: it is as it will be when it comes forward.
    await page.evaluate(`(() => {
      window.drawn = 0;
      const behind = [...document.querySelectorAll('[role=log]')].find((one) => !one.checkVisibility());
      new MutationObserver(() => { window.drawn += 1; }).observe(behind, { childList: true, characterData: true, subtree: true });
    })()`);
    held.open();
    await expect.poll(async () => (await app.parley.session(two)).status).toBe('active');
    await page.getByRole('treeitem', { name: /kept-two.*End zwei/ }).waitFor();
    expect(await page.evaluate('window.drawn')).toBe(0);
    await choose(page, 'kept-two');
    await said(page, 'Begin zwei End zwei').waitFor();
    await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
    await choose(page, 'kept-one');
    await expect.poll(async () => (await scrolled(page)).top).toBe(before.top);
    await page.getByRole('button', { name: /Jump to latest|new$/ }).click();
    await said(page, 'Begin eins End eins').waitFor();
    await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
    expect(app.trouble).toEqual([]);
  },
);

test('a conversation comes back where it was left, also when four others were shown since', LONG, async () => {
  const id = await imported(app, 600, (at) => `Far ${at}`, 'left-far-up');
  const others: string[] = [];
  for (let n = 0; n < 5; n++) others.push(await imported(app, 4, (at) => `Other ${n} ${at}`, `between-${n}`));
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Far 599').waitFor();
  await page.getByRole('log').hover();
  for (let turn = 0; turn < 4; turn++) {
    await page.mouse.wheel(0, -4000);
    await page.waitForTimeout(150);
  }
  await page.getByText('Loading earlier messages…').waitFor({ state: 'detached' });
  await expect.poll(async () => (await scrolled(page)).top).toBeGreaterThan(0);
  const key = (await page.evaluate(`(() => {
    const log = document.querySelector('[role=log]');
    const top = log.getBoundingClientRect().top;
    const rows = [...log.querySelectorAll('[data-key]:has(article)')];
    return rows.find((row) => row.getBoundingClientRect().top >= top).dataset.key;
  })()`)) as string;
  const before = (await topOf(page, key))!;
  for (let n = 0; n < 5; n++) {
    await choose(page, `between-${n}`);
    await said(page, `Other ${n} 3`).waitFor();
  }
  expect(await page.locator('[role=log]').count()).toBe(4);
  await choose(page, 'left-far-up');
  await expect.poll(() => topOf(page, key)).not.toBeNull();
  await expect.poll(async () => Math.abs((await topOf(page, key))! - before)).toBeLessThanOrEqual(1);
  expect(app.trouble).toEqual([]);
});

test('the end stays in view to the pixel while an answer streams and the composer grows', LONG, async () => {
  const id = await imported(app, 40, (at) => `Line ${at}\n\nand more of it`, 'stuck');
  const held = gate();
  app.provider.script(() => ({
    steps: [
      ...Array.from({ length: 60 }, () => [
        { kind: 'text' as const, text: 'Some **words** in a sentence.\n\n' },
        { kind: 'wait' as const, ms: 8 },
      ]).flat(),
      { kind: 'gate', until: held.until },
      ...text('Finished.'),
    ],
  }));
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Line 39').waitFor();
  await page.evaluate(`(() => {
    window.worst = 0;
    const log = document.querySelector('[role=log]');
    let painted = 0;
    // Told after the page's own observers, and before anything is painted; of one picture, the last counts.
    const observer = new ResizeObserver(() => {
      painted = log.scrollHeight - log.clientHeight - log.scrollTop;
    });
    observer.observe(log);
    observer.observe(log.firstElementChild);
    const look = () => {
      window.worst = Math.max(window.worst, painted);
      requestAnimationFrame(look);
    };
    look();
  })()`);
  await composer(page).fill('Go on');
  await composer(page).press('Enter');
  for (let line = 0; line < 6; line++) {
    await composer(page).press('Shift+Enter');
    await page.waitForTimeout(30);
  }
  held.open();
  await said(page, 'Finished.').waitFor();
  await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
  expect(await page.evaluate('Math.round(window.worst)')).toBe(0);
  expect(app.trouble).toEqual([]);
});

test('pages that are read above leave what is being read where it is', LONG, async () => {
  const id = await imported(app, 400, (at) => `Row ${at}${'\n\nmore'.repeat(at % 4)}`, 'prepended');
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Row 399').waitFor();
  const held = gate();
  let asked = 0;
  await page.route(/\/messages\?before=/, async (route) => {
    asked += 1;
    await held.until;
    return route.continue();
  });
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -100_000);
  await expect.poll(() => asked).toBeGreaterThan(0);
  await page.getByText('Loading earlier messages…').waitFor();
  await expect.poll(async () => (await scrolled(page)).top).toBe(0);
  const key = (await page.evaluate(
    `[...document.querySelectorAll('[role=log] [data-key]:has(article)')].at(4).dataset.key`,
  )) as string;
  const before = (await topOf(page, key))!;
  held.open();
  await page.getByText('Loading earlier messages…').waitFor({ state: 'detached' });
  await expect.poll(async () => (await scrolled(page)).top).toBeGreaterThan(1000);
  expect(Math.abs((await topOf(page, key))! - before)).toBeLessThanOrEqual(1);
  expect(app.trouble).toEqual([]);
});

async function deleteMessage(page: Page, index: number): Promise<void> {
  const article = page.getByRole('article').nth(index);
  await article.hover();
  await article.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
}

/** Runs in the page: the words of the message that has the focus, else the name of the element that has it. */
const FOCUSED = 'document.activeElement.closest("article")?.textContent ?? document.activeElement.tagName';

test('after a message is deleted the keyboard is at the next one, else in the box; a session without messages says so', {
  timeout: 90_000,
}, async () => {
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  for (const content of ['One', 'Two']) await app.parley.say(id, { content });
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Re: Two').waitFor();
  await deleteMessage(page, 0);
  await expect.poll(() => page.evaluate(FOCUSED)).toBe('Two');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => page.evaluate(FOCUSED)).toBe('One');
  await deleteMessage(page, 3);
  await expect.poll(() => page.evaluate(FOCUSED)).toBe('TEXTAREA');
  await deleteMessage(page, 2);
  await deleteMessage(page, 0);
  await page.getByRole('heading', { name: 'ada', level: 2 }).waitFor();
  expect(await page.getByRole('log').filter({ visible: true }).count()).toBe(0);
  expect(await page.evaluate(FOCUSED)).toBe('TEXTAREA');
  expect(app.trouble).toEqual([]);
});

test.each([360, 768, 1440])('at %i pixels a notice covers neither the message box nor Send', LONG, async (width) => {
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'One' });
  const page = await app.open(`/sessions/${id}`, { viewport: { width, height: 740 } });
  await said(page, 'Re: One').waitFor();
  await deleteMessage(page, 1);
  const notice = page.getByRole('dialog').filter({ hasText: 'Message deleted' });
  await notice.waitFor();
  const bottom = async () => ((box) => box!.y + box!.height)(await notice.boundingBox());
  const top = async () => (await page.locator('[data-composer]').boundingBox())!.y;
  expect(await bottom()).toBeLessThanOrEqual(await top());
  await composer(page).fill('several\nlines\nof\nwords');
  await expect.poll(async () => (await bottom()) <= (await top())).toBe(true);
});
