import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { de } from '../../web/i18n/de.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { gate, type Script, text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { say } from './doing.ts';
import { loaded, overlays, type Place } from './places.ts';
import { WebApp } from './web-app.ts';

/** Everything that people and agents wrote is made of this word, so that it can be told from what the app says. */
const DATA = 'Zyx';

let app: WebApp;
let session: string;
let asking: string;
let busy: string;
const held = gate();
beforeAll(async () => {
  const words = { displayName: DATA, description: DATA, systemPrompt: DATA };
  app = await WebApp.start({
    config: { limits: { messageBytes: 2000 } },
    agents: [
      { ...words, agentId: 'zyx', agentAllowlist: null },
      {
        ...words,
        agentId: 'zyx/zyx',
        displayName: DATA + DATA,
        parentAgentId: 'zyx',
        toolAllowlist: ['todo_*'],
        approvals: { todo_add: 'ask' },
      },
    ],
  });
  app.provider.script(play);
  session = (await app.parley.createSession({ agentId: 'zyx', folder: DATA })).id;
  await app.parley.say(session, { content: DATA });
  asking = (await app.parley.createSession({ agentId: 'zyx/zyx' })).id;
  await app.parley.send(asking, { content: DATA });
  await app.parley.ok('PUT', `/api/sessions/${asking}/pin`, {});
  busy = (await app.parley.createSession({ agentId: 'zyx' })).id;
  for (const content of ['zyx', DATA]) await app.parley.send(busy, { content });
  const away = await app.parley.createSession({ agentId: 'zyx', name: DATA });
  await app.parley.ok('PUT', `/api/sessions/${away.id}/archive`, {});
}, 60_000);
afterAll(async () => {
  held.open();
  await app.close();
});

/** Thinks and speaks, or calls a tool that asks first; small letters are answered when the test is over. */
function play({ body, said }: RecordedRequest): Script {
  if (body.model === 'model-of-zyx/zyx')
    return { steps: [{ kind: 'toolCall', name: 'todo_add', input: '{"title":"zyx"}' }] };
  if (said.startsWith('zyx')) return { steps: [...text(DATA), { kind: 'gate', until: held.until }] };
  const code = ['```ts', 'zyx', '```'].join('\n');
  return { steps: [{ kind: 'reasoning', text: DATA }, ...text(`${DATA} ![zyx](https://zyx.zyx/zyx)\n\n${code}\n`)] };
}

const see = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();

const pages = (): readonly Place[] => [
  { name: 'dashboard', at: '/' },
  { name: 'session', at: `/sessions/${session}`, open: see('article') },
  { name: 'approval', at: `/sessions/${asking}`, open: see('[role="log"] fieldset') },
  { name: 'queue', at: `/sessions/${busy}`, open: see('[data-turn]') },
  { name: 'missing', at: '/sessions/nowhere', open: see('main a') },
  { name: 'search', at: '/search', open: see('main dl') },
  { name: 'found', at: '/search?q=zyx', open: see('[data-hit]') },
  { name: 'nothing found', at: '/search?q=nowhere', open: see('main h2') },
  { name: 'settings', at: '/settings', open: see('#usage fieldset') },
  { name: 'beginnings', at: '/agents/new' },
  { name: 'form', at: '/agents/new?blank=true', open: see('[role="tab"]') },
  { name: 'JSON', at: '/agents/zyx#json', open: see('json-editor .cm-content') },
  { name: 'agent’s form', at: '/agents/zyx/zyx#form', open: see('main textarea') },
  { name: 'agent', at: '/agents/zyx/zyx', open: see('details') },
];

/** Everything on the page that is read or read out: words, and names of what has none. */
const WORDS = `(() => {
  const skipped = 'code, kbd, pre, time, json-editor, script, style, datalist';
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (parentElement.checkVisibility() && !parentElement.closest(skipped)) found.add(data.trim());
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
    if (!element.checkVisibility() || element.closest(skipped)) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) found.add((element.getAttribute(name) ?? '').trim());
  }
  return [...found].filter((words) => /\\p{L}{2}/u.test(words));
})()`;

/** What reaches beyond the right edge, unless it is inside something that scrolls or cuts. */
const BEYOND = `[...document.querySelectorAll('body *')].filter((element) => {
  const { right, width } = element.getBoundingClientRect();
  if (width === 0 || right <= innerWidth + 1 || !element.checkVisibility()) return false;
  for (let outer = element; outer !== document.body; outer = outer.parentElement)
    if (getComputedStyle(outer).overflowX !== 'visible') return false;
  return true;
}).map((element) => element.tagName + ' ' + element.className + ' ' + element.textContent.slice(0, 40))`;

/** Names that are the same in every language: of languages, keys, roles, providers, and what is written in files. */
const NAMES = [
  ['English', 'Deutsch', 'Shift', 'Ctrl', 'CTRL', 'Alt', 'https', 'ts', 'json', 'user', 'system', 'all'],
  ['openai-compatible', 'openai', 'anthropic', 'demo', 'model-of-', 'low', 'medium', 'high', 'self', 'native', 'skill'],
  ['todo', 'bash', 'title='],
].flat();

/** What comes with the server: names of templates, and in the disguise also what the server says. */
const SERVER =
  /^(?:(?:Session not found|Sitzung nicht gefunden|Answers questions|Splits work|Reviews text|Drafts and|Researches a|Turns a goal).*|General assistant|Orchestrator|Reviewer|Writer|Researcher|Planner)$/;

test('in a language of accents everything the app says is in it, and fits at 360 pixels; in German no English is left', {
  timeout: 120_000,
}, async () => {
  const page = await app.open('/');
  const elsewhere = await app.openTab(page, '/health');
  const speak = async (language: string, lang: string) => {
    await elsewhere.evaluate(`localStorage.setItem('parley.language', '${language}')`);
    await page.locator(`html[lang=${lang}]`).waitFor();
  };
  const english = englishOnly();
  const wrong: Record<string, string[]> = {};
  await speak('de', 'de');
  for await (const { name, isWide } of loaded(page, app.parley.url, [...pages(), ...overlays(session)])) {
    const german = ((await page.evaluate(WORDS)) as string[]).filter((one) => !SERVER.test(one));
    wrong[`${name} in German`] = german.filter((one) => english.some((pattern) => pattern.test(one)));
    await speak('pseudo', 'en');
    wrong[name] = untold((await page.evaluate(WORDS)) as string[]);
    if (!isWide) await expectToFit(page, name);
    await speak('de', 'de');
  }
  expect(Object.entries(wrong).filter(([, words]) => words.length > 0)).toEqual([]);
  expect(app.trouble).toEqual([]);
});

test('in German, what the server says is German: a failed turn, a refused message, a denied tool, a template', {
  timeout: 120_000,
}, async () => {
  app.provider.script((request) =>
    request.said.includes('broken') ? { status: 401, body: '{"error":{"message":"zyx"}}' } : play(request),
  );
  const { id } = await app.parley.createSession({ agentId: 'zyx' });
  const page = await app.open(`/sessions/${id}`, { locale: 'de-DE' });
  await page.locator('html[lang=de]').waitFor();
  await say(page, 'broken');
  await page.getByRole('log').getByText(de['failure.cause.unauthorized'].replace('{name}', DATA)).first().waitFor();

  await say(page, 'x'.repeat(3000));
  await page.getByText('Die Nachricht ist größer als 2000 Bytes.').waitFor();

  await page.goto(`${app.parley.url}/sessions/${asking}`);
  const card = page.getByRole('log').getByRole('group', { name: /todo_add/ });
  await card.getByRole('button', { name: 'Ablehnen' }).click();
  await card.getByRole('button', { name: 'Ablehnen' }).click();
  await page.getByRole('log').getByText('Von dir abgelehnt.').first().waitFor();
  await page.reload();
  await page.getByRole('log').getByText('Von dir abgelehnt.').first().waitFor();

  await page.goto(`${app.parley.url}/agents/new`);
  await page.getByText('Beantwortet Fragen und hilft bei alltäglichen Aufgaben.').waitFor();
  await page.getByRole('link', { name: /^Texter/ }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Texter');
  const unnamed = await app.parley.createSession({ agentId: 'zyx' });
  await page.goto(`${app.parley.url}/sessions/${unnamed.id}`);
  await page.getByRole('heading', { name: 'Neue Sitzung', level: 1 }).waitFor();
  await page
    .getByRole('treeitem', { name: /^Neue Sitzung/ })
    .first()
    .click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Löschen' }).getByText('Entf').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('banner').getByText('Strg K').waitFor();
  await page.goto(`${app.parley.url}/sessions/nowhere`);
  await page.getByRole('heading', { name: 'Sitzung nicht gefunden', exact: true }).waitFor();
  await page.getByText('Sie wurde vielleicht gelöscht, oder die Adresse ist unvollständig.').waitFor();
});

async function expectToFit(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(async () => [name, await page.evaluate(BEYOND)]).toEqual([name, []]);
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** A word of the app that another one is made with. */
const DISGUISED_INSIDE = /\[[^[\]]*~+\]/g;

/** What is neither disguised nor somebody's own. */
function untold(words: readonly string[]): string[] {
  return words.filter((one) => {
    const rest = one
      .replace(SERVER, '')
      .replaceAll(DISGUISED_INSIDE, '')
      .replaceAll(/\[.*?~+\]/gs, '')
      .replaceAll(/zyx|\bZ[XY]\b/gi, '')
      // The symbol of a unit, the same in every language.
      .replaceAll(/\b\d+ ms\b/g, '')
      .replaceAll(/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b|\b[AP]M\b/g, '')
      .replaceAll(/\b\w+_\w+\b|(?<!\w)(?:\/[a-z]+)+/g, '');
    return /\p{L}{2}/u.test(NAMES.reduce((left, name) => left.replaceAll(name, ''), rest));
  });
}

/** What is filled in: a value, or one of two forms. */
const HOLE = /\{\w+(?:\|(?:[^{}]|\{\w+\})*)?\}/g;

/** English words of the catalogue that German says otherwise, with whatever is filled in. */
function englishOnly(): RegExp[] {
  const german = new Set<string>(Object.values(de));
  const isTelling = (words: string) => !german.has(words) && /\p{L}{3}/u.test(words.replaceAll(HOLE, ''));
  const escaped = (words: string) => words.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return Object.values(en)
    .filter(isTelling)
    .map((words) => new RegExp(`^${words.split(HOLE).map(escaped).join('.*')}$`, 's'));
}
