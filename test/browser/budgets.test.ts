import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, text } from '../harness/scripted-script.ts';
import { composer, said, WebApp } from './web-app.ts';

const BUILT = path.resolve(import.meta.dirname, '../../dist-web');

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start();
}, 60_000);
afterAll(() => app.close());

test('the first page loads at most 220 KiB of script and 20 KiB of style, packed', () => {
  const html = readFileSync(path.join(BUILT, 'index.html'), 'utf8');
  const size = (kind: string) =>
    [
      ...new Set(
        [...html.matchAll(new RegExp(`(?:src|href)="/(assets/[\\w.-]+\\.${kind})`, 'g'))].map(([, file]) => file!),
      ),
    ]
      .map((file) => gzipSync(readFileSync(path.join(BUILT, file)), { level: 9 }).length)
      .reduce((sum, bytes) => sum + bytes, 0);
  expect(size('js')).toBeLessThanOrEqual(220 * 1024);
  expect(size('css')).toBeLessThanOrEqual(20 * 1024);
  expect(readdirSync(path.join(BUILT, 'assets')).length).toBeGreaterThan(5);
});

/** Requests for scripts and data of a page, in the order in which they are made. What is fetched ahead when idle is left out. */
async function watched(): Promise<{ page: Page; scripts: string[]; data: string[] }> {
  const page = await app.open('/');
  await page.addInitScript('globalThis.requestIdleCallback = () => 0');
  // What the first page still fetches ahead does not count.
  await page.goto('about:blank');
  const [scripts, data]: [string[], string[]] = [[], []];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.endsWith('.js')) scripts.push(pathname);
    if (pathname.startsWith('/api/')) data.push(`${request.method()} ${pathname}${search}`);
  });
  return { page, scripts, data };
}

function packed(scripts: readonly string[]): number {
  const size = (file: string) => gzipSync(readFileSync(path.join(BUILT, file)), { level: 9 }).length;
  return sum([...new Set(scripts)].map(size)) / 1024;
}

async function someSession(): Promise<string> {
  app.provider.script(() => ({ steps: text('Here **I** am.') }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'Hello' });
  return id;
}

test('a first visit to the dashboard loads at most 220 KiB of script, and one to a session at most 280', {
  timeout: 60_000,
}, async ({ annotate }) => {
  const id = await someSession();
  const { page, scripts } = await watched();
  const loadedAt = async (at: string, shown: RegExp) => {
    scripts.length = 0;
    await page.goto(app.parley.url + at);
    await page.getByRole('main').getByText(shown).first().waitFor();
    return packed(scripts);
  };
  const dashboard = await loadedAt('/', /Test agent ada/);
  const session = await loadedAt(`/sessions/${id}`, /am\./);
  await annotate(`dashboard ${dashboard.toFixed(1)} KiB, session ${session.toFixed(1)} KiB`);
  expect(dashboard).toBeLessThanOrEqual(220);
  expect(session).toBeLessThanOrEqual(280);
});

test('a session is there after one round: its data and scripts are asked for before any script has arrived, and once', {
  timeout: 60_000,
}, async () => {
  const id = await someSession();
  const { page, scripts, data } = await watched();
  const [first, later] = [gate(), gate()];
  let isFirst = true;
  await page.route('**/assets/*.js', async (route) => {
    await (isFirst ? first : later).until;
    await route.continue().catch(() => undefined);
  });
  await page.goto(`${app.parley.url}/sessions/${id}`, { waitUntil: 'commit' });
  const needed = [`/api/sessions/${id}/snapshot`, '/api/sessions?limit=100', '/api/actions', '/api/agents'];
  for (const part of needed) await expect.poll(() => data.join(' ')).toContain(part);
  await expect.poll(() => scripts.join(' ')).toContain('/assets/session-page-');
  isFirst = false;
  first.open();
  await said(page, 'am.').waitFor();
  await composer(page).fill('Typed before anything else has arrived');
  later.open();
  await page.getByRole('button', { name: /of context used/ }).waitFor();
  const reads = data.filter((request) => request.startsWith('GET') && !request.includes('/events'));
  expect(reads).toEqual([...new Set(reads)]);
  expect(app.trouble).toEqual([]);
});

test('of ten thousand messages at most forty are in the page, and little stays when one has looked at them', {
  timeout: 120_000,
}, async () => {
  const messages = Array.from({ length: 10_000 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `Message number ${at}`,
    ...(at % 2 && { agent: 'ada' }),
  }));
  const { id } = await app.parley.ok<{ id: string }>('POST', '/api/imports', { agent: 'ada', messages });
  const page = await app.open(`/sessions/${id}`);
  const log = page.getByRole('log');
  await said(page, 'Message number 9999').waitFor();
  expect(await log.getByRole('article').count()).toBeLessThanOrEqual(40);
  await log.hover();
  const lookFurtherUp = async () => {
    await page.mouse.wheel(0, -100_000);
    const highest = await log.getByText('Message number').first().textContent();
    return Number(highest?.replace(/\D/g, ''));
  };
  await expect.poll(lookFurtherUp).toBeLessThan(9900);
  expect(await log.getByRole('article').count()).toBeLessThanOrEqual(40);

  for (let turn = 0; turn < 5; turn++) {
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await page.goBack();
    await said(page, /Message number/).waitFor();
  }
  const meter = await page.context().newCDPSession(page);
  await meter.send('HeapProfiler.collectGarbage');
  const { usedSize } = await meter.send('Runtime.getHeapUsage');
  expect(usedSize).toBeLessThan(40_000_000);
  expect(app.trouble).toEqual([]);
});

test('an answer in six hundred pieces costs less than two seconds of the page’s time', {
  timeout: 120_000,
}, async () => {
  const piece = 'Some **words** in a sentence that goes on. ';
  app.provider.script(() => ({
    steps: [
      ...Array.from({ length: 600 }, (_, at) => [
        { kind: 'text' as const, text: at % 12 === 11 ? `${piece}\n\n` : piece },
        { kind: 'wait' as const, ms: 4 },
      ]).flat(),
      ...text('Finished.'),
    ],
  }));
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`);
  const meter = await page.context().newCDPSession(page);
  const tasks = await tasksDuring(meter, () => app.parley.say(id, { content: 'Go on' }));
  await said(page, 'Finished.').waitFor();
  expect(sum(tasks)).toBeLessThan(2000);
});

test('while twenty sessions stream fifty tokens a second each, nothing holds the page up for 200 ms', {
  timeout: 60_000,
}, async ({ annotate }) => {
  app.provider.script(() => ({ steps: [{ kind: 'repeat', text: 'word ', count: 250, delayMs: 20 }] }));
  const begun = Array.from({ length: 20 }, () => app.parley.createSession({ agentId: 'ada' }));
  const ids = (await Promise.all(begun)).map(({ id }) => id);
  const page = await app.open(`/sessions/${ids[0]}`);
  const meter = await page.context().newCDPSession(page);
  const began = performance.now();
  const tasks = await tasksDuring(meter, () => Promise.all(ids.map((id) => app.parley.say(id, { content: 'Go on' }))));
  const [share, longest] = [sum(tasks) / (performance.now() - began), Math.max(...tasks)];
  await annotate(`busy ${Math.round(share * 100)} % of the time, for ${Math.round(longest)} ms at most`);
  expect(longest).toBeLessThan(200);
  await said(page, /^(word ){249}word/).waitFor();
});

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Every task of the page while something is done, in milliseconds of its own time: what else the machine does is left out. */
async function tasksDuring(meter: CDPSession, work: () => Promise<unknown>): Promise<number[]> {
  const events: TraceEvent[] = [];
  meter.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await meter.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
  await work();
  const complete = new Promise<void>((resolve) => meter.once('Tracing.tracingComplete', () => resolve()));
  await meter.send('Tracing.end');
  await complete;
  const isPage = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain';
  const threads = new Set(events.filter(isPage).map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = events.filter(({ tdur, pid, tid }) => tdur !== undefined && threads.has(`${pid} ${tid}`));
  return tasks.filter(({ name }) => name.endsWith('RunTask')).map(({ tdur }) => tdur! / 1000);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
