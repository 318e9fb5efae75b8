import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../test/browser/chromium.ts';
import type { Bench, Measurement } from '../bench.ts';
import { callJson } from '../load/calls.ts';
import { median } from '../load/statistics.ts';
import { compare, type Row } from '../report.ts';
import { AGENT } from '../sides/agents.ts';
import { BarePage } from '../sides/bare-page.ts';
import { Parley } from '../sides/parley.ts';

const SLOWER = 4;
const MESSAGES = 60;
const LAST = 'The last words of it.';
const PATIENCE_MS = 60_000;

/** A browser that has never seen the app opens a session, on a processor that is four times slower. */
export const coldSession: Measurement = {
  name: 'cold-session',
  about: 'web app, a session opened with an empty cache on a 4x slower processor',
  async run(bench) {
    const parley = await Parley.start({ modelUrl: bench.model.url });
    const messages = conversation();
    const bare = await BarePage.start(messages);
    const browser = await launch();
    try {
      return toRows(await measure(bench, browser, bare, await openedIn(browser, parley, messages)));
    } finally {
      await browser.close();
      await bare.stop();
      await parley.stop();
    }
  },
};

/** Time depends on what else the machine does; the CPU time of the page's main thread hardly does. */
function toRows({ bare, parley }: { bare: Visit[]; parley: Visit[] }): Row[] {
  const of = (visits: readonly Visit[], key: keyof Visit) => visits.map((visit) => visit[key]);
  const row = (name: string, key: keyof Visit, atMost: number) =>
    compare({
      row: `session in a cold browser, ${SLOWER}x slower CPU, ${name}`,
      baselineName: 'bare page',
      baseline: median(of(bare, key)),
      parley: median(of(parley, key)),
      unit: 'ms',
      atMost,
      note: `a session should be there in 2,500 ms; fastest ${Math.round(Math.min(...of(parley, key)))} ms`,
      figures: { bare: of(bare, key), parley: of(parley, key) },
    });
  return [row('until it can be used', 'ms', 10), row('CPU of the main thread until then', 'cpuMs', 15)];
}

interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

function conversation(): Said[] {
  const answer = '## Plan\n\nSome **words** with `code`:\n\n```ts\nconst beds = 4;\n```\n\n- one\n- two\n\n';
  return Array.from({ length: MESSAGES }, (_, at) => {
    const role = at % 2 ? 'assistant' : 'user';
    return { role, text: at === MESSAGES - 1 ? answer + LAST : role === 'user' ? `Question ${at}` : answer };
  });
}

async function launch(): Promise<Browser> {
  const { executablePath, args, env } = await findChromium();
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } as Record<string, string> });
}

interface Opened {
  readonly url: string;
  /** Of a browser that is signed in. */
  readonly storageState: Exclude<NonNullable<Parameters<Browser['newContext']>[0]>['storageState'], undefined>;
}

async function openedIn(browser: Browser, parley: Parley, said: readonly Said[]): Promise<Opened> {
  const post = <T>(path: string, body: object) =>
    callJson<T>(parley.child.url, { method: 'POST', path, body, headers: parley.headers });
  const messages = said.map(({ role, text }) => ({
    role,
    content: text,
    ...(role === 'assistant' && { agent: AGENT }),
  }));
  const { id } = await post<{ id: string }>('/api/imports', { agent: AGENT, messages });
  const link = await post<{ url: string }>('/api/sign-in-links', {});
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link.url);
  await page.getByRole('banner').waitFor({ timeout: PATIENCE_MS });
  const storageState = await context.storageState();
  await context.close();
  return { url: `${parley.child.url}/sessions/${id}`, storageState };
}

async function measure({ quick }: Bench, browser: Browser, bare: BarePage, { url, storageState }: Opened) {
  const visits: { bare: Visit[]; parley: Visit[] } = { bare: [], parley: [] };
  for (let round = 0; round < (quick ? 5 : 11); round++) {
    visits.bare.push(await visit(browser, bare.url));
    visits.parley.push(await visit(browser, url, storageState));
  }
  return visits;
}

/** Runs in the page: when the last words are shown and can be answered, and that has been drawn. */
const WATCH = `globalThis.usable = new Promise((done) => {
  const look = () => {
    const isThere = document.querySelector('textarea') && document.body.textContent.includes(${JSON.stringify(LAST)});
    if (!isThere) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => done(performance.now())));
  };
  requestAnimationFrame(look);
});`;

interface Visit {
  /** Since the page was asked for. */
  readonly ms: number;
  readonly cpuMs: number;
}

/** In a browser with an empty cache. */
async function visit(browser: Browser, url: string, storageState?: Opened['storageState']): Promise<Visit> {
  const context = await browser.newContext(storageState ? { storageState } : {});
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url, { waitUntil: 'commit', timeout: PATIENCE_MS });
  const ms = await page.evaluate<number>('usable');
  const { metrics } = await session.send('Performance.getMetrics');
  await context.close();
  return { ms, cpuMs: 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) };
}
