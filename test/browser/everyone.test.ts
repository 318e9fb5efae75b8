import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { violations } from './axe.ts';
import { tabTo } from './doing.ts';
import { overlays, type Place, settled, walked } from './places.ts';
import { composer, said, WebApp } from './web-app.ts';

const SAMPLE = [
  '# Title\n\nSome **words** and `code`, a [link](https://example.com).',
  '- one\n- two\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  '```ts\nconst answer = 42;\n```\n\nThe end.',
].join('\n\n');

let app: WebApp;
let session: string;
let asking: string;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', description: 'Knows things.' },
      { agentId: 'team/bob', parentAgentId: 'ada', toolAllowlist: ['todo_*'], approvals: { 'todo_*': 'ask' } },
    ],
  });
  app.provider.script(play);
  session = (await app.parley.createSession({ agentId: 'ada', name: 'A session with a name' })).id;
  await app.parley.say(session, { content: 'Show everything' });
  asking = (await app.parley.createSession({ agentId: 'team/bob', name: 'One that asks' })).id;
  await app.parley.send(asking, { content: 'Write it down' });
}, 60_000);
afterAll(() => app.close());

/** Ada shows all there is; Bob asks before he writes something down. */
function play({ body }: RecordedRequest): Script {
  if ((body.messages as { role: string }[]).at(-1)?.role === 'tool') return { steps: text('Written down.') };
  if (body.model === 'model-of-team/bob')
    return { steps: [{ kind: 'toolCall', name: 'todo_add', input: '{"title":"milk"}' }] };
  return { steps: [{ kind: 'reasoning', text: 'Let me think. ' }, ...text(SAMPLE)] };
}

const see = (words: string) => (page: Page) =>
  page.getByRole('main').getByText(words).filter({ visible: true }).first().waitFor();

const pages = (): readonly Place[] => [
  { name: 'dashboard', at: '/', open: see('Knows things.') },
  { name: 'session', at: `/sessions/${session}`, open: see('The end.') },
  { name: 'approval', at: `/sessions/${asking}`, open: see('Allow once') },
  { name: 'agent', at: '/agents/team/bob', open: see('Blocked') },
  { name: 'agent-form', at: '/agents/team/bob#form', open: see('Advanced') },
  { name: 'agent-json', at: '/agents/team/bob#json', open: see('parentAgentId') },
  { name: 'new-agent', at: '/agents/new', open: see('Orchestrator') },
  { name: 'search', at: '/search', open: see('Search tips') },
  { name: 'search-results', at: '/search?q=words', open: see('A session with a name') },
  { name: 'schedules', at: '/schedules', open: see('No schedules yet') },
  { name: 'settings', at: '/settings', open: see('Density') },
  { name: 'settings-usage', at: '/settings#usage', open: see('Tokens per day') },
  { name: 'settings-about', at: '/settings#about', open: see('Sign out') },
];

test('every page passes the checks for WCAG 2.2 AA, light and dark, wide and narrow', {
  timeout: 120_000,
}, async () => {
  const page = await app.open('/');
  for await (const { name } of walked(page, pages())) {
    await expectUsable(page, name, WIDE);
    await expectUsable(page, `${name}-360`, NARROW);
    await page.setViewportSize(WIDE);
  }
  expect(app.trouble).toEqual([]);
});

test('and so does everything that opens over a page', { timeout: 120_000 }, async () => {
  const page = await app.open('/');
  for await (const { name, isWide } of walked(page, overlays(session))) {
    await expectUsable(page, name, WIDE);
    if (isWide) continue;
    await page.setViewportSize(NARROW);
    for (const theme of THEMES) await shoot(page, `${name}-360`, theme);
    await page.setViewportSize(WIDE);
  }
  expect(app.trouble).toEqual([]);
});

test('and the way in, and a Parley in which there is nothing yet', { timeout: 60_000 }, async () => {
  const outside = await app.stranger(`${app.parley.url}/#code=abcdefghijkl`);
  await outside.getByRole('alert').getByText('This link was used').waitFor();
  const empty = await WebApp.start({ agents: [] });
  try {
    const inside = await empty.open('/');
    await inside.getByText('No agents yet').waitFor();
    await inside.getByRole('navigation').getByText('No sessions yet').waitFor();
    for (const [name, page] of [['sign-in', outside] as const, ['empty', inside] as const]) {
      await expectUsable(page, name, WIDE);
      await expectUsable(page, `${name}-360`, NARROW);
    }
  } finally {
    await empty.close();
  }
  expect(app.trouble).toEqual([]);
});

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 740 };
const THEMES = ['dark', 'light'] as const;
/** What is offered while one writes scrolls with what is chosen, by the keys of the box. */
const IS_OPERATED_FROM_THE_BOX = /^scrollable-region-focusable \[?#_r_\w+_/;

/** At a size: no rule is broken that a program can check, nothing has to be scrolled sideways; pictures are kept. */
async function expectUsable(page: Page, name: string, size: typeof WIDE): Promise<void> {
  await page.setViewportSize(size);
  await settled(page);
  await shoot(page, name, 'dark');
  const wrong = (await violations(page)).filter((one) => !IS_OPERATED_FROM_THE_BOX.test(one));
  expect([name, wrong]).toEqual([name, []]);
  expect([name, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([name, 0]);
  await shoot(page, name, 'light');
  // Only colours are others in the other theme.
  expect([name, 'light', await violations(page, ['color-contrast'])]).toEqual([name, 'light', []]);
}

async function shoot(page: Page, name: string, colorScheme: (typeof THEMES)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await app.shot(page, `${name}-${colorScheme}`);
}

test('everything is done without a mouse', { timeout: 90_000 }, async () => {
  const page = await app.open('/');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('New session', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('A session with');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/sessions/${session}`);
  await said(page, 'The end.').waitFor();
  await page.keyboard.press('i');
  await page.locator('[data-composer] textarea:focus').waitFor();
  await page.keyboard.type('From the keyboard');
  await page.keyboard.press('Enter');
  await said(page, 'From the keyboard').waitFor();
  await expect.poll(async () => (await app.parley.messages(session)).length).toBe(4);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('item that needs you');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/sessions/${asking}`);
  await tabTo(page, page.getByRole('log').getByRole('button', { name: 'Allow once' }));
  await page.keyboard.press('Enter');
  await said(page, 'Written down.').waitFor();
  await composer(page).and(page.locator(':focus')).waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('settings');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('radio', { name: 'System' }));
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('light');
  expect(app.trouble).toEqual([]);
});
