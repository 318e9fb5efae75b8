import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, text } from '../harness/scripted-script.ts';
import { row, say } from './doing.ts';
import { composer, SAVE_DATA, said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ preloads: true });
}, 60_000);
afterAll(() => app.close());

const banner = (page: Page) => page.getByRole('status').filter({ hasText: "Can't reach Parley" });

/** Without loading the page anew: as a link inside the app does. */
async function go(page: Page, to: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(to)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

/** Answers in progress whose first words are on disk, where a killed server leaves them. */
function storedPartials(home: string): number {
  const db = new DatabaseSync(path.join(home, 'parley.db'), { readOnly: true });
  const counted = db.prepare('SELECT count(*) AS count FROM partials').get() as { count: number };
  db.close();
  return counted.count;
}

/** The scripts of all pages that the app loads while the person does nothing. */
async function preloaded(page: Page): Promise<void> {
  const names = [
    'toast-stack',
    'session-page',
    'settings-page',
    'search-page',
    'agent-page',
    'new-agent-page',
    'palette',
    'help-sheet',
    'usage',
    'menu-parts',
    'agent-menu',
    'row-menu',
  ];
  const loaded = () => page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name).join(" ")');
  for (const name of names) await expect.poll(loaded, { message: name }).toContain(`/assets/${name}-`);
}

test('a page that cannot be loaded says so inside the app and opens when it is tried again', {
  timeout: 60_000,
}, async () => {
  const page = await app.open('/', { viewport: { width: 1440, height: 900 } });
  await page.route('**/assets/settings-page-*.js', (route) => route.abort());
  await page.reload();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: "This page couldn't be loaded" }).waitFor();
  await page.getByRole('banner').waitFor();
  await page.unroute('**/assets/settings-page-*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
});

test('while the person does nothing the pages are loaded, but not when the browser saves data', async () => {
  const requests = async (saves: boolean) => {
    const page = await app.stranger('about:blank', { viewport: { width: 1440, height: 900 } });
    if (saves) await page.addInitScript(SAVE_DATA);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const { url } = await app.parley.ok<{ url: string }>('POST', '/api/sign-in-links', {});
    await page.goto(`${app.parley.url}/${new URL(url).hash}`);
    await page.getByRole('banner').waitFor();
    if (saves) await page.waitForTimeout(1000);
    else await preloaded(page);
    return asked.filter((address) => address.includes('/assets/'));
  };
  const [all, few] = [await requests(false), await requests(true)];
  expect(all.some((address) => address.includes('/settings-page-'))).toBe(true);
  expect(few.some((address) => address.includes('/settings-page-'))).toBe(false);
});

test('a dialog or a notice whose script cannot be loaded leaves the app in place', { timeout: 60_000 }, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada', name: 'Kept' });
  const page = await app.open('/', { viewport: { width: 1440, height: 900 } });
  const share = async () => {
    await page.getByRole('main').getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: /^Share/ }).click();
  };
  await page.route('**/assets/share-dialog-*.js', (route) => route.abort());
  await page.goto(`${app.parley.url}/sessions/${id}`);
  await share();
  await page.getByText("Couldn't open this. Parley may be unreachable.").waitFor();
  await page.route('**/assets/toast-stack-*.js', (route) => route.abort());
  await page.reload();
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('share-dialog'));
  await share();
  await failed;
  await share();
  expect(await composer(page).isVisible()).toBe(true);
});

test('without the server an unfinished answer does not look alive and cannot be stopped', {
  timeout: 60_000,
}, async () => {
  const held = gate();
  app.provider.script(() => ({ steps: [...text('The first half'), { kind: 'gate', until: held.until }] }));
  const { id } = await app.parley.createSession({ agentId: 'ada', name: 'Cut off' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Go on');
  await said(page, 'The first half').waitFor();
  const main = page.getByRole('main');
  expect(await main.getByText('Working', { exact: true }).count()).toBeGreaterThan(0);
  await expect.poll(() => storedPartials(app.parley.home)).toBe(1);
  await app.parley.kill();
  held.open();
  await banner(page).waitFor();
  expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
  expect(await page.getByText('Working', { exact: true }).count()).toBe(0);
  expect(await page.locator('.animate-ping').count()).toBe(0);
  await app.parley.restartThere();
  await page.getByRole('article', { name: /^ada/ }).getByText('interrupted').waitFor({ timeout: 40_000 });
});

test('an answer that ended before the eyes of the person is read, however soon they leave', {
  timeout: 60_000,
}, async () => {
  const held = gate();
  app.provider.script(() => ({ steps: [...text('Begin'), { kind: 'gate', until: held.until }, ...text(' End')] }));
  const { id } = await app.parley.createSession({ agentId: 'ada', name: 'Watched' });
  await app.parley.createSession({ agentId: 'ada', name: 'Elsewhere' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Go on');
  await said(page, 'Begin').waitFor();
  held.open();
  await said(page, 'Begin End').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await row(page, 'Elsewhere').click();
  await expect.poll(async () => (await app.parley.session(id)).unreadCount).toBe(0);
});

test('an answer that ended before the eyes of the person is read, also when they close the page at once', {
  timeout: 60_000,
}, async () => {
  const held = gate();
  app.provider.script(() => ({ steps: [...text('Begin'), { kind: 'gate', until: held.until }, ...text(' End')] }));
  const { id } = await app.parley.createSession({ agentId: 'ada', name: 'Closed' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Go on');
  await said(page, 'Begin').waitFor();
  held.open();
  // The button is there again as soon as the page knows that the answer has ended.
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.goto('about:blank');
  await expect.poll(async () => (await app.parley.session(id)).unreadCount).toBe(0);
});

test('what a session has used counts every attempt at an answer, as soon as it is over', {
  timeout: 60_000,
}, async () => {
  app.provider.script(() => ({ steps: text('Yes'), usage: { input: 10, output: 2 } }));
  const { id } = await app.parley.createSession({ agentId: 'ada', name: 'Counted' });
  const page = await app.open(`/sessions/${id}`);
  await say(page, 'Is it so?');
  const turns = page
    .getByRole('complementary', { name: 'Details' })
    .locator('div', { hasText: /^Turns/ })
    .last();
  await expect.poll(() => turns.textContent()).toBe('Turns1');
  const [turn] = (await app.parley.ok<{ turns: { id: string }[] }>('GET', `/api/sessions/${id}/turns`)).turns;
  await app.parley.ok('POST', `/api/turns/${turn!.id}/retries`, {});
  await expect.poll(() => turns.textContent()).toBe('Turns2');
});

test('without the server every page opens, each with a title, one heading and one landmark, and the app stays', {
  timeout: 90_000,
}, async () => {
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
  const { id } = await app.parley.createSession({ agentId: 'ada', name: 'Plans' });
  await app.parley.say(id, { content: 'Before' });
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Re: Before').waitFor();
  await preloaded(page);
  await app.parley.kill();
  await banner(page).waitFor();
  const pages = [
    ['/settings', 'Settings · Parley'],
    ['/search', 'Search · Parley'],
    ['/agents/ada', 'ada · Parley'],
    ['/agents/new', 'New agent · Parley'],
    [`/sessions/${id}`, 'Plans · Parley'],
    ['/nope', 'Page not found · Parley'],
    ['/', 'Dashboard · Parley'],
  ] as const;
  for (const [path, title] of pages) {
    await go(page, path);
    await expect.poll(() => page.title(), { message: path }).toBe(title);
    const counts = async () => [
      await page.getByRole('main').count(),
      await page.getByRole('main').getByRole('heading', { level: 1 }).count(),
    ];
    await expect.poll(counts, { message: `landmarks and headings of ${path}` }).toEqual([1, 1]);
    expect(await page.getByRole('button', { name: 'Details' }).count(), path).toBe(
      path.startsWith('/sessions') ? 1 : 0,
    );
    await banner(page).waitFor();
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await go(page, `/sessions/${id}`);
  for (const name of ['Session actions', 'ada: switch agent', 'More']) {
    await page.getByRole('button', { name, exact: true }).filter({ visible: true }).last().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  }
  await app.parley.restartThere();
  await page.keyboard.press('Escape');
  // The app also tries by itself, and may be sooner than the click.
  await page
    .getByRole('button', { name: 'Try now' })
    .click({ timeout: 2000 })
    .catch(() => undefined);
  await banner(page).waitFor({ state: 'detached' });
});
