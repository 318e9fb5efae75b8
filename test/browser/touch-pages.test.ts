import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { DemoMachine } from '../screenshots/demo-machine.ts';
import { violations } from './axe.ts';
import { PHONE, phoneProblems } from './phone.ts';
import { settled } from './places.ts';
import { said, WebApp } from './web-app.ts';

const LONG = { timeout: 180_000 };

let machine: DemoMachine;
let app: WebApp;
/** Ids. */
let ids: { list: string; note: string; view: string; session: string; team: string; source: string };
beforeAll(async () => {
  machine = await DemoMachine.start();
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada', agentAllowlist: [] },
      { agentId: 'bob', displayName: 'Bob' },
      { agentId: 'zoe', displayName: 'Zoe' },
    ],
    config: { tools: { fetch: { allowHosts: machine.hosts } } },
    env: machine.env,
  });
  app.provider.script(() => ({ steps: text('Fine.') }));
  const make = (kind: string, body: object) => app.parley.ok<{ id: string }>('POST', `/api/${kind}`, body);
  const list = await make('lists', { name: 'Books', fields: [{ id: 'rating', name: 'Rating', type: 'number' }] });
  const items = ['Emma', 'A book whose title is so long that it does not fit on one line of a telephone'];
  await make(`lists/${list.id}/items`, {
    items: items.map((title) => ({ title, tags: ['novel'], due: '2026-12-24' })),
  });
  const note = await make('notes', { name: 'Trip to Rome', text: '# Plan\n\n- **three** days\n\nSee [[Books]].\n' });
  const view = await make('views', { name: 'Everything', query: {}, layout: 'table' });
  const session = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(session.id, { content: 'Tea?' });
  const team = await make('teams', { name: 'Trio', description: 'For trips.', agents: ['ada', 'bob', 'zoe'] });
  const source = await make('knowledge-notes', { noteId: note.id, agent: 'ada' });
  ids = { list: list.id, note: note.id, view: view.id, session: session.id, team: team.id, source: source.id };
  await make('outgoing-webhooks', { name: 'CI', url: 'https://ci.example/hook', events: ['turn.settled'] });
  await make('incoming-webhooks', { name: 'Alerts', agentId: 'ada' });
  await make('memories', { agentId: 'ada', text: 'Likes tea.' });
  await make('schedules', { name: 'Morning', when: 'every weekday at 8', content: 'What is due?', agentId: 'ada' });
  await make('agents', { agentId: 'remote/far', displayName: 'Far', type: 'a2a', a2a: { url: machine.peer.url } });
  for (const device of machine.devices()) await make('push-subscriptions', device);
}, 90_000);
afterAll(async () => {
  await app.close();
  await machine.close();
});

const THEMES = ['light', 'dark'] as const;

/** What is wrong with what is shown, for a finger and for programs that read the page. */
async function problemsOf(page: Page, name: string): Promise<string[]> {
  return [...(await phoneProblems(page, name)), ...(await violations(page)).map((one) => `${name}: ${one}`)];
}

const main = (page: Page) => page.getByRole('main').filter({ visible: true });

test.each(THEMES)(
  'every page about lists, schedules, devices and kinds of agents fits a phone, %s',
  LONG,
  async (colorScheme) => {
    const page = await app.open('/', { ...PHONE, colorScheme });
    const pages: readonly (readonly [at: string, sees: string | RegExp])[] = [
      ['/', 'Gemini CLI'],
      ['/artifacts', 'Trip to Rome'],
      [`/artifacts/${ids.list}`, 'Emma'],
      [`/artifacts/${ids.note}`, /three/],
      [`/artifacts/${ids.view}`, 'Emma'],
      ['/schedules', 'Morning'],
      ['/teams', 'Ada · Bob · Zoe'],
      [`/teams/${ids.team}`, 'agentAllowlist'],
      ['/knowledge', 'Trip to Rome'],
      [`/knowledge/${ids.source}`, /three/],
      ['/agents/ada#knowledge', 'Trip to Rome'],
      ['/agents/ada#memory', 'Likes tea.'],
      ['/webhooks', 'Alerts'],
      ['/settings#notifications', 'Pixel 11'],
      ['/agents/remote/far', en['agents.cardApprove']],
      ...['model', 'claude', 'codex', 'pi', 'acp', 'a2a', 'external'].map(
        (kind) => [`/agents/new?kind=${kind}`, en['agents.field.agentId']] as const,
      ),
    ];
    const problems: string[] = [];
    for (const [at, sees] of pages) {
      await page.goto(app.parley.url + at);
      await main(page).getByText(sees).filter({ visible: true }).first().waitFor();
      problems.push(...(await problemsOf(page, at)));
    }
    expect(problems).toEqual([]);
    expect(app.trouble).toEqual([]);
  },
);

test('a note is listed with its first words, without Markdown, and a view with how it is shown', LONG, async () => {
  const page = await app.open('/artifacts');
  const line = (name: string) => main(page).getByRole('listitem').filter({ hasText: name });
  await line('Trip to Rome').getByText('Plan three days', { exact: false }).waitFor();
  await line('Everything').getByText(en['view.layout.table'], { exact: true }).waitFor();
  expect(app.trouble).toEqual([]);
});

const button = (place: Page | Locator, name: string | RegExp) =>
  place.getByRole('button', { name }).filter({ visible: true }).first();
const menuItem = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name }).first();

interface Opened {
  readonly name: string;
  readonly at: string;
  open(page: Page): Promise<unknown>;
}

/** What opens by touch over these pages, and over a session. */
function opened(): readonly Opened[] {
  const inMenu = (trigger: string | RegExp, item: string | RegExp) => async (page: Page) => {
    await button(page, trigger).tap();
    await menuItem(page, item).tap();
  };
  const panel = (kind: string, name: string) => async (page: Page) => {
    await inMenu('Open panel', kind)(page);
    await button(page, new RegExp(`^${name}`)).tap();
  };
  const session = `/sessions/${ids.session}`;
  return [
    { name: 'item menu', at: `/artifacts/${ids.list}`, open: (page) => button(page, 'Actions for Emma').tap() },
    { name: 'item details', at: `/artifacts/${ids.list}`, open: inMenu('Actions for Emma', 'Details') },
    { name: 'item move', at: `/artifacts/${ids.list}`, open: inMenu('Actions for Emma', /^Move to another/) },
    { name: 'list fields', at: `/artifacts/${ids.list}`, open: inMenu('List actions', 'Name and fields') },
    { name: 'list history', at: `/artifacts/${ids.list}`, open: inMenu('List actions', 'History') },
    { name: 'note details', at: `/artifacts/${ids.note}`, open: inMenu('Note actions', 'Name, tags and date') },
    { name: 'note versions', at: `/artifacts/${ids.note}`, open: inMenu('Note actions', 'Versions') },
    { name: 'note writing', at: `/artifacts/${ids.note}`, open: (page) => button(page, 'Write').tap() },
    { name: 'view query', at: `/artifacts/${ids.view}`, open: (page) => button(page, 'Filter, sort and group').tap() },
    { name: 'board', at: `/artifacts/${ids.view}`, open: (page) => button(page, 'Board').tap() },
    { name: 'calendar', at: `/artifacts/${ids.view}`, open: (page) => button(page, 'Calendar').tap() },
    { name: 'new schedule', at: '/schedules', open: (page) => button(page, 'New schedule').tap() },
    { name: 'history of runs', at: '/schedules', open: (page) => button(page, 'History of Morning').tap() },
    { name: 'new team', at: '/teams', open: (page) => button(page, 'New team').tap() },
    { name: 'team menu', at: '/teams', open: (page) => button(page, 'Actions for “Trio”').tap() },
    { name: 'member menu', at: `/teams/${ids.team}`, open: (page) => button(page, 'Actions for Bob').tap() },
    { name: 'new outgoing webhook', at: '/webhooks', open: (page) => button(page, 'New outgoing webhook').tap() },
    { name: 'new incoming webhook', at: '/webhooks', open: (page) => button(page, 'New incoming webhook').tap() },
    { name: 'deliveries', at: '/webhooks', open: (page) => button(page, 'Deliveries of CI').tap() },
    { name: 'list panel', at: session, open: panel('List', 'Books') },
    { name: 'note panel', at: session, open: panel('Note', 'Trip to Rome') },
    { name: 'view panel', at: session, open: panel('View', 'Everything') },
    { name: 'changes panel', at: session, open: inMenu('Open panel', 'Changes') },
    { name: 'workspace', at: session, open: inMenu(en['conversation.actions'], en['sidebar.workspace']) },
    { name: 'imports', at: session, open: openImports },
  ];
}

async function openImports(page: Page): Promise<void> {
  await button(page.getByRole('banner').first(), en['nav.sessions']).tap();
  await button(page, en['sidebar.newWith']).tap();
  await menuItem(page, en['imports.menu']).tap();
  await page.getByRole('dialog').last().getByRole('listitem').first().waitFor();
}

test('what opens over these pages fits a phone', LONG, async () => {
  const problems: string[] = [];
  for (const colorScheme of THEMES) {
    const page = await app.open('/', { ...PHONE, colorScheme });
    for (const { name, at, open } of opened()) {
      await page.goto(app.parley.url + at);
      await main(page).waitFor();
      await settled(page);
      await open(page);
      problems.push(...(await problemsOf(page, `${name}, ${colorScheme}`)));
    }
  }
  expect(problems).toEqual([]);
  expect(app.trouble).toEqual([]);
});

test('on a phone and in a narrow window, every page is reached from the header or the sessions', LONG, async () => {
  const phone = await app.open(`/sessions/${ids.session}`, PHONE);
  const narrow = await app.open(`/sessions/${ids.session}`, { viewport: PHONE.viewport });
  for (const page of [phone, narrow]) {
    await said(page, 'Fine.').waitFor();
    for (const key of ['nav.artifacts', 'nav.knowledge', 'nav.schedules', 'nav.teams', 'nav.webhooks'] as const) {
      await button(page.getByRole('banner').first(), en['nav.sessions']).click();
      const sheet = page.getByRole('dialog', { name: en['nav.sessions'] });
      await sheet.getByRole('link', { name: en[key], exact: true }).click();
      await sheet.waitFor({ state: 'hidden' });
      await page.getByRole('heading', { name: en[key], level: 1 }).waitFor();
    }
    for (const key of ['nav.search', 'nav.settings', 'nav.dashboard'] as const) {
      await page.getByRole('banner').first().getByTitle(en[key], { exact: true }).and(page.locator(':visible')).click();
      await main(page).getByRole('heading', { name: PAGE_HEADINGS[key] }).first().waitFor();
    }
  }
  expect(app.trouble).toEqual([]);
});

test(
  'on a tablet, the header has room for what it shows, and the other pages are below the sessions',
  LONG,
  async () => {
    const tablet = { hasTouch: true, isMobile: true, viewport: { width: 768, height: 1024 } };
    const page = await app.open(`/sessions/${ids.session}`, tablet);
    for (const width of [640, 768, 1024]) {
      await page.setViewportSize({ width, height: 1024 });
      await said(page, 'Fine.').waitFor();
      const header = page.getByRole('banner').first();
      await expect.poll(() => header.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    }
    await page.setViewportSize(tablet.viewport);
    await page
      .getByRole('navigation', { name: en['nav.sessions'] })
      .getByRole('link', { name: en['nav.knowledge'] })
      .tap();
    await page.getByRole('heading', { name: en['nav.knowledge'], level: 1 }).waitFor();
    expect(app.trouble).toEqual([]);
  },
);

const PAGE_HEADINGS = {
  'nav.search': en['nav.search'],
  'nav.settings': en['settings.appearance'],
  'nav.dashboard': en['nav.dashboard'],
} as const;
