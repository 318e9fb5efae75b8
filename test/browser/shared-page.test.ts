import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import { expectUsable } from './axe.ts';
import { ATTACK, dataOf, ShareFixture, TITLE, words } from './share-fixture.ts';
import type { WebApp } from './web-app.ts';

let garden: ShareFixture;
let app: WebApp;
beforeAll(async () => {
  garden = await ShareFixture.start();
  app = garden.app;
}, 60_000);
afterAll(() => app.close());

/** Resolves when the page has had nothing to do a hundred times. */
const MUCH_TIME = `new Promise((done) => {
  let left = 100;
  const wait = () => (left-- > 0 ? requestIdleCallback(wait) : done());
  wait();
})`;

/** Runs in the page: the colours of the agents that speak, in the order in which they do. */
const AGENT_COLOURS = `[...document.querySelectorAll('article.agent')].map(
  (article) => getComputedStyle(article).getPropertyValue('--agent'),
)`;

describe('who reads', () => {
  test('sees who said what, in which part', { timeout: 60_000 }, async () => {
    const { page } = await garden.visit(garden.link.url);
    await words(page, 'So it is.').waitFor();
    const messages = page.getByRole('article');
    expect(
      await messages.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')?.split(',')[0])),
    ).toEqual(['User', 'Boss', 'Ada Gardener', 'Boss', 'User', 'Ada Gardener']);
    await words(page, 'Delegating to Ada Gardener: Look it up').waitFor();
    await messages.nth(2).getByText('sub-agent of Boss').waitFor();
    await messages.nth(0).getByText('garden.txt').waitFor();
    await messages.nth(5).getByText('guest', { exact: true }).waitFor();
    expect(await page.title()).toBe(`${TITLE} · Parley`);
  });

  test('sees every agent in the colour that it has in the app', { timeout: 60_000 }, async () => {
    const page = await app.open(`/sessions/${garden.session}`);
    await page.getByRole('log').getByText('So it is.').waitFor();
    const inApp = await page.evaluate<string[]>(AGENT_COLOURS);
    const { page: copy } = await garden.visit(garden.link.url);
    await words(copy, 'So it is.').waitFor();
    expect(new Set(inApp).size).toBeGreaterThan(1);
    expect(await copy.evaluate<string[]>(AGENT_COLOURS)).toEqual(inApp);
  });

  test('is harmed by nothing that a model wrote, and asks nobody for anything', { timeout: 60_000 }, async () => {
    const { id } = await app.parley.createSession({ agentId: 'mallory' });
    await app.parley.say(id, { content: ATTACK });
    const shared = await garden.share(id);
    const { page, asked } = await garden.visit(shared.url);
    await words(page, 'The end of it.').waitFor();
    const main = page.getByRole('main');
    for (const tag of ['script', 'iframe', 'img', 'meta', 'svg[onload]'])
      expect([tag, await main.locator(tag).count()]).toEqual([tag, 0]);
    // A reader who is not signed in could open none of it.
    await main.getByText('policy.pdf, p. 2').last().waitFor();
    expect(await page.getByRole('article').locator('a[href^="/"]').count()).toBe(0);
    await main.getByRole('link', { name: /bank\.test/ }).click();
    await page.getByRole('dialog').getByText('https://evil.test/?claims').waitFor();
    await page.keyboard.press('Escape');
    expect(page.url()).toBe(shared.url);
    expect(asked).toEqual([dataOf(shared.url)]);
    expect(app.trouble).toEqual([]);
  });

  test('reads in their own language and light, and both are kept', { timeout: 60_000 }, async () => {
    const { page } = await garden.visit(garden.link.url, { locale: 'de-DE', colorScheme: 'dark' });
    await words(page, 'Schreibgeschützte Kopie').waitFor();
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    expect(await theme()).toBe('dark');
    await page
      .getByRole('combobox', { name: 'Darstellung' })
      .or(page.getByRole('combobox'))
      .first()
      .selectOption('light');
    expect(await theme()).toBe('light');
    await page.getByRole('combobox').last().selectOption('en');
    await words(page, 'Read-only copy').waitFor();
    await page.reload();
    await words(page, 'Read-only copy').waitFor();
    expect(await theme()).toBe('light');
  });

  test('gets everything on paper, in dark ink', { timeout: 60_000 }, async () => {
    const { page } = await garden.visit(garden.link.url, { colorScheme: 'dark' });
    await words(page, 'So it is.').waitFor();
    await page.evaluate(`globalThis.printed = null; addEventListener('beforeprint', () => {
      globalThis.printed = document.documentElement.dataset.theme + ' ' + document.querySelectorAll('article').length;
    })`);
    expect((await page.pdf()).length).toBeGreaterThan(1000);
    expect(await page.evaluate('globalThis.printed')).toBe('light 6');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });

  test('is not held up by ten thousand messages', { timeout: 120_000 }, async () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: `Message **number** ${at}\n\n- one\n- two\n\n\`\`\`ts\nconst at = ${at};\n\`\`\``,
      ...(at % 2 && { agent: 'ada' }),
    }));
    const { id } = await app.parley.ok<Session>('POST', '/api/imports', { agent: 'ada', messages });
    const shared = await garden.share(id);
    const { page } = await garden.visit('about:blank');
    const meter = await page.context().newCDPSession(page);
    await meter.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(shared.url);
    await words(page, 'const at = 1;').waitFor();
    // Rows are measured as they come: the end may be further down than it was thought to be.
    const atEnd = async () => {
      await page.keyboard.press('End');
      return words(page, 'const at = 9999;').isVisible();
    };
    await expect.poll(atEnd, { timeout: 20_000 }).toBe(true);
    await page.getByText('End of shared copy.').waitFor();
    await page.evaluate(MUCH_TIME);
    expect(await page.getByRole('article').count()).toBeLessThanOrEqual(400);
    const { metrics } = await meter.send('Performance.getMetrics');
    expect(metrics.find(({ name }) => name === 'TaskDuration')!.value).toBeLessThan(4);
  });

  test('what tools were given is shown only to those for whom it was wanted', { timeout: 60_000 }, async () => {
    const plain = await garden.visit((await garden.share(garden.session)).url);
    await words(plain.page, 'todo_add').waitFor();
    expect(await plain.page.getByRole('button', { name: /todo_add/ }).count()).toBe(0);
    const { page } = await garden.visit(garden.link.url);
    await page.getByRole('button', { name: /todo_add/ }).click();
    await page.getByText('"title": "rhubarb"').waitFor();
  });

  test('finished calls that follow each other are one line that opens, as in the conversation', {
    timeout: 60_000,
  }, async () => {
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    await app.parley.say(id, { content: 'Look it up: three things' });
    const { page } = await garden.visit((await garden.share(id, { toolDetails: true })).url);
    const group = page.getByRole('button', { name: /Used 3 tools/ });
    await group.waitFor();
    expect(await page.getByRole('button', { name: /peas/ }).count()).toBe(0);
    await group.click();
    await page.getByRole('button', { name: /peas/ }).click();
    await page.getByText('"title": "peas"').waitFor();
  });

  test('is not taken for one when the server cannot be reached', { timeout: 60_000 }, async () => {
    const { page } = await garden.visit('about:blank');
    await page.route('**/api/public/shares/*', (route) => route.abort());
    await page.goto(garden.link.url);
    await page.getByRole('heading', { name: "Couldn't load this page" }).waitFor();
    await page.unroute('**/api/public/shares/*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await words(page, 'So it is.').waitFor();
  });
});

describe.each(['dark', 'light'] as const)('in the %s theme', (colorScheme) => {
  test('the page passes the checks for WCAG 2.2 AA, wide and narrow, also where nothing is', {
    timeout: 90_000,
  }, async () => {
    const { page } = await garden.visit(garden.link.url, { colorScheme });
    await words(page, 'So it is.').waitFor();
    await page.getByRole('button', { name: /todo_add/ }).click();
    await expectUsable(app, page, `shared-${colorScheme}`);
    const { page: nowhere } = await garden.visit(`${app.parley.url}/s/none`, { colorScheme });
    await nowhere.getByRole('heading', { name: 'Link not found' }).waitFor();
    expect(await nowhere.title()).toBe('Link not found · Parley');
    await expectUsable(app, nowhere, `shared-nowhere-${colorScheme}`);
    expect(app.trouble).toEqual([]);
  });
});
