import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { violations } from './axe.ts';
import { BrowserStage, said } from './stage.ts';

const SAMPLE = [
  '# Title\n\nSome **words** and `code`, a [link](https://example.com).',
  '- one\n- two\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  '```ts\nconst answer = 42;\n```\n\nThe end.',
].join('\n\n');

let stage: BrowserStage;
let session: string;
beforeAll(async () => {
  stage = await BrowserStage.start({
    agents: [
      { agentId: 'ada', description: 'Knows things.' },
      { agentId: 'team/bob', parentAgentId: 'ada' },
    ],
  });
  stage.provider.script(() => ({ steps: [{ kind: 'reasoning', text: 'Let me think. ' }, ...text(SAMPLE)] }));
  session = (await stage.parley.createSession({ agentId: 'ada', name: 'A session with a name' })).id;
  await stage.parley.say(session, { content: 'Show everything' });
}, 60_000);
afterAll(() => stage.close());

/** Each page with words that stand in it once its data is there. */
const pages = () =>
  [
    ['dashboard', '/', 'Knows things.'],
    ['session', `/sessions/${session}`, 'The end.'],
    ['agent', '/agents/team/bob', 'team/bob'],
    ['new-agent', '/agents/new', 'template'],
    ['search', '/search?q=words', 'A session with a name'],
    ['settings', '/settings', 'Density'],
  ] as const;

/** What the page shows has come: data, lazily loaded parts, fonts. */
async function settled(page: Page, words: string): Promise<void> {
  await page.getByRole('main').getByText(words).filter({ visible: true }).first().waitFor();
  await page.waitForFunction('!document.querySelector("[aria-busy=true]")');
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

describe.each(['dark', 'light'] as const)('in the %s theme', (colorScheme) => {
  test('every page passes the checks for WCAG 2.2 AA, wide and narrow', { timeout: 90_000 }, async () => {
    const page = await stage.open('/', { colorScheme });
    for (const [name, at, words] of pages()) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(stage.parley.url + at);
      await settled(page, words);
      await stage.shot(page, `${name}-${colorScheme}`);
      expect([name, await violations(page)]).toEqual([name, []]);
      await page.setViewportSize({ width: 360, height: 740 });
      await settled(page, words);
      await stage.shot(page, `${name}-${colorScheme}-360`);
      expect([name, 360, await violations(page)]).toEqual([name, 360, []]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([name, overflow]).toEqual([name, 0]);
    }
    expect(stage.trouble).toEqual([]);
  });
});

test('everything is done without a mouse', { timeout: 90_000 }, async () => {
  const page = await stage.open('/');
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
  await expect.poll(async () => (await stage.parley.messages(session)).length).toBe(4);
  expect(stage.trouble).toEqual([]);
});
