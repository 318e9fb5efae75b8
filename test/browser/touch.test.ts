import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BUILDER } from '../../contract/builder.ts';
import { text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { openSession, toast } from './doing.ts';
import { PHONE, phoneProblems, SMALL_TARGETS } from './phone.ts';
import { settled } from './places.ts';
import { composer, said, WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };

let app: WebApp;
let session: string;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada' },
      { agentId: 'bob', displayName: 'Principal Staff Reviewer of Everything There Is' },
      { agentId: 'cal', displayName: 'Cal', toolAllowlist: ['todo_*'], approvals: { 'todo_*': 'ask' } },
    ],
  });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
  session = (await app.parley.createSession({ agentId: 'ada' })).id;
  await app.parley.say(session, { content: 'Tea?' });
}, 60_000);
beforeEach(() => app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) })));
afterAll(() => app.close());

function more(message: Locator): Locator {
  return message.getByRole('button', { name: en['message.more'] });
}

function item(page: Page, key: keyof typeof en): Locator {
  return page.getByRole('menuitem', { name: en[key], exact: true });
}

/** Requests that change something. */
function changes(page: Page): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') seen.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return seen;
}

test('by touch, an empty place under an answer does nothing, and every action is in a visible menu', LONG, async () => {
  const page = await app.open(`/sessions/${session}`, PHONE);
  const answer = page.getByRole('article', { name: /^Ada/ });
  await said(page, 'Re: Tea?').waitFor();
  await settled(page);
  const sent = changes(page);
  const box = (await answer.boundingBox())!;
  for (const x of [10, 40, 70])
    for (const y of [2, 14, 24]) await page.touchscreen.tap(box.x + x, box.y + box.height - y);
  await page.keyboard.press('Escape');
  expect(sent.filter((one) => /retries|messages/.test(one))).toEqual([]);

  await more(answer).tap();
  for (const key of ['message.copy', 'message.again', 'message.quote', 'message.fork', 'message.delete'] as const)
    await item(page, key).waitFor();
  await item(page, 'message.again').tap();
  await expect.poll(() => sent.some((one) => one.endsWith('/retries'))).toBe(true);
  await answer.getByText('2 of 2').waitFor();
  expect(app.trouble).toEqual([]);
});

test(
  'a message is edited by touch: the box takes the place of the words and leaves the next message alone',
  LONG,
  async () => {
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    await app.parley.say(id, { content: 'One lump of sugar' });
    const page = await app.open(`/sessions/${id}`, PHONE);
    await more(page.getByRole('article', { name: /^You/ })).tap();
    await item(page, 'message.edit').tap();
    const field = page.getByRole('textbox', { name: en['message.edit'] });
    await field.waitFor();
    expect(await page.getByRole('article', { name: /^You/ }).locator('[data-words]').count()).toBe(0);
    const [mine, answer] = await Promise.all(
      ['You', 'Ada'].map((name) => page.getByRole('article', { name: new RegExp(`^${name}`) }).boundingBox()),
    );
    const send = page.getByRole('log').getByRole('button', { name: en['message.sendEdited'] });
    const end = (await send.boundingBox())!;
    expect(end.y + end.height).toBeLessThanOrEqual(mine!.y + mine!.height);
    expect(answer!.y - (end.y + end.height)).toBeGreaterThanOrEqual(18);
    await field.fill('Two lumps of sugar');
    await send.tap();
    await said(page, 'Re: Two lumps of sugar').waitFor();
    expect(app.trouble).toEqual([]);
  },
);

test('a message deleted by touch comes back with Undo, and its toast goes', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'Keep me' });
  const page = await app.open(`/sessions/${id}`, PHONE);
  await said(page, 'Re: Keep me').waitFor();
  await more(page.getByRole('article', { name: /^You/ })).tap();
  await item(page, 'message.delete').tap();
  await expect.poll(() => page.getByRole('article').count()).toBe(0);
  await toast(page, en['message.deleted']).getByRole('button', { name: en['action.undo'] }).tap();
  await said(page, 'Re: Keep me').waitFor();
  await expect.poll(() => toast(page, en['message.deleted']).count()).toBe(0);
  expect((await app.parley.messages(id)).length).toBe(2);
  expect(app.trouble).toEqual([]);
});

test('what a finger aims at is 44 pixels, and sheets open and close by touch', LONG, async () => {
  const page = await app.open(`/sessions/${session}`, PHONE);
  await said(page, 'Re: Tea?').waitFor();
  await settled(page);
  expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);

  await page.getByRole('banner').first().getByRole('button', { name: en['nav.sessions'] }).tap();
  const sheet = page.getByRole('dialog', { name: en['nav.sessions'] });
  await sheet.getByRole('treeitem', { name: /Tea\?/ }).waitFor();
  expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
  await sheet.getByRole('button', { name: en['action.close'] }).tap();
  await sheet.waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: en['nav.sessions'] }).tap();
  const tea = sheet.getByRole('treeitem', { name: /Tea\?/ });
  await tea.getByRole('button', { name: en['sidebar.actions'] }).tap();
  await item(page, 'sidebar.pin').waitFor();
  expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
  await item(page, 'sidebar.pin').tap();
  await expect.poll(async () => (await app.parley.session(session)).pinnedAt).not.toBeNull();
  await sheet.getByRole('treeitem', { name: /Tea\?/ }).tap();
  await sheet.waitFor({ state: 'hidden' });
  expect(openSession(page)).toBe(session);
  expect(app.trouble).toEqual([]);
});

test('at 360 pixels the head of a message and the placeholder stay on one line', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'bob' });
  await app.parley.say(id, { content: 'Hello' });
  const page = await app.open(`/sessions/${id}`, PHONE);
  await said(page, 'Re: Hello').waitFor();
  const head = page.getByRole('article', { name: /^Principal/ }).locator('header');
  expect((await head.boundingBox())!.height).toBeLessThan(24);
  expect((await composer(page).boundingBox())!.height).toBeLessThan(48);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  expect(app.trouble).toEqual([]);
});

test('every page fits a phone: nothing outside, no scrolling sideways, targets for a finger', {
  timeout: 120_000,
}, async () => {
  app.provider.script(({ body, said: words }) => {
    if (body.model === 'model-of-cal')
      return { steps: [{ kind: 'toolCall', name: 'todo_add', input: '{"title":"milk"}' }] };
    if (body.model === 'model-of-builder' && (body.messages as { role: string }[]).at(-1)?.role !== 'tool')
      return { steps: [{ kind: 'toolCall', name: 'builder_draft', input: JSON.stringify({ definition: SCOUT }) }] };
    if (words === 'work') return { steps: [...text('Begun'), { kind: 'stall' }] };
    return words === 'fail' ? { status: 401, body: '{}' } : { steps: text(TABLE) };
  });
  const [asking, failing, wide, working] = await Promise.all(
    ['cal', 'ada', 'ada', 'ada'].map((agentId) => app.parley.createSession({ agentId })),
  );
  await app.parley.send(asking!.id, { content: 'Write it down' });
  await app.parley.send(failing!.id, { content: 'fail' });
  await app.parley.send(working!.id, { content: 'work' });
  await app.parley.say(wide!.id, { content: 'A table' });
  const chat = {
    provider: 'openai-compatible',
    model: 'model-of-builder',
    baseUrl: `${app.provider.url}/v1`,
  };
  await app.parley.ok('POST', '/api/agents', { agentId: BUILDER.agentId, extends: BUILDER.template, chat });
  const building = await app.parley.createSession({ agentId: BUILDER.agentId });
  await app.parley.say(building.id, { content: 'A scout' });
  const page = await app.open('/', PHONE);
  const main = page.getByRole('main').filter({ visible: true });
  const pages: readonly (readonly [at: string, sees: string | RegExp])[] = [
    ['/', /Allow once/],
    [`/sessions/${asking!.id}`, /Allow once/],
    [`/sessions/${failing!.id}`, /Dismiss|Retry|Open Ada/],
    [`/sessions/${working!.id}`, /Begun/],
    [`/sessions/${wide!.id}`, /last column/],
    ['/agents/ada', 'Ada'],
    ['/agents/ada#form', en['agents.field.starters']],
    ['/agents/ada#json', /"agentId"/],
    ['/agents/new', /Orchestrator/],
    ['/agents/new?blank=true', en['agents.field.agentId']],
    ['/search', en['search.syntax']],
    ['/search?q=Tea', /Tea/],
    ['/settings', en['settings.theme']],
    ['/settings#usage', en['settings.usage']],
    ['/nope', en['page.notFound']],
  ];
  const problems: string[] = [];
  for (const [at, sees] of pages) {
    await page.goto(app.parley.url + at);
    await main.getByText(sees).filter({ visible: true }).first().waitFor();
    problems.push(...(await phoneProblems(page, at)));
  }
  await page.goto(`${app.parley.url}/sessions/${building.id}`);
  await said(page, /last column/).waitFor();
  problems.push(...(await phoneProblems(page, 'builder, conversation')));
  await page.getByRole('button', { name: en['builder.draft'], exact: true }).tap();
  await page.getByRole('textbox', { name: en['agents.field.displayName'] }).waitFor();
  problems.push(...(await phoneProblems(page, 'builder, draft')));
  expect(problems).toEqual([]);
  expect(app.trouble).toEqual([]);
});

const SCOUT = {
  agentId: 'scout',
  displayName: 'Scout of all that lies ahead',
  description: 'Looks ahead.',
  toolAllowlist: ['web_*'],
};

const TABLE = `| ${'a column with a long name | '.repeat(6)}last column |\n|${'---|'.repeat(7)}\n| ${'some words in a cell | '.repeat(6)}end |`;

test('everything that opens over a page fits a phone and closes by touch', { timeout: 120_000 }, async () => {
  const { url } = await app.parley.ok<{ url: string }>('POST', `/api/sessions/${session}/shares`, {});
  const page = await app.open(`/sessions/${session}`, PHONE);
  await said(page, /^Re: Tea\?/).waitFor();
  const dialog = page.getByRole('dialog').filter({ visible: true });
  const overlays: Readonly<Record<string, () => Promise<unknown>>> = {
    details: () => page.getByRole('banner').first().getByRole('button', { name: en['nav.details'] }).tap(),
    share: async () => {
      await page.getByRole('button', { name: en['conversation.actions'] }).tap();
      await item(page, 'sidebar.share').tap();
    },
    templates: async () => {
      await page.getByRole('banner').first().getByRole('button', { name: en['nav.sessions'] }).tap();
      await dialog.getByRole('button', { name: en['sidebar.newWith'] }).tap();
      await item(page, 'templates.manage').tap();
      await page.getByRole('dialog', { name: en['templates.title'] }).waitFor();
    },
    palette: () => page.getByRole('button', { name: en['keys.palette'] }).tap(),
    shortcuts: async () => {
      await page.locator('#main').focus();
      await page.keyboard.press('?');
    },
  };
  const problems: string[] = [];
  for (const [name, open] of Object.entries(overlays)) {
    await open();
    await dialog.first().waitFor();
    problems.push(...(await phoneProblems(page, name)));
    // The palette has no button to close it: a tap beside it does.
    if (name === 'palette') await page.touchscreen.tap(180, 735);
    else await dialog.last().getByRole('button', { name: en['action.close'] }).first().tap();
    await expect.poll(() => dialog.count()).toBe(0);
  }
  const shared = await app.stranger(url, PHONE);
  await shared
    .getByRole('main')
    .getByText(/Re: Tea/)
    .first()
    .waitFor();
  problems.push(...(await phoneProblems(shared, 'shared page')));
  expect(problems).toEqual([]);
  expect(app.trouble).toEqual([]);
});
