import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { findChromium } from './chromium.ts';

export interface WebAppOptions {
  agents?: readonly object[];
  config?: object;
  /** Nothing is configured: it begins with the demo, as for somebody who has just arrived. */
  isFirstStart?: boolean;
  /** Variables of the server. */
  env?: Record<string, string>;
  /** The scripts of all pages are loaded while the person does nothing; otherwise the browser says that it saves data. */
  preloads?: boolean;
}

export type ContextOptions = BrowserContextOptions;

const SHOTS = path.resolve(import.meta.dirname, '../../.vitest/screenshots');

/** These run in the page. */
export const SAVE_DATA = `Object.defineProperty(NetworkInformation.prototype, 'saveData', { get: () => true })`;
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('content security policy: ' + event.violatedDirective + ' ' + event.blockedURI))`;

/** The built web app on a real server, in a real browser, watched for everything that must not happen. */
export class WebApp {
  readonly provider: ScriptedProvider;
  readonly parley: Parley;
  readonly #browser: Browser;
  readonly #preloads: boolean;
  /** Kept from test to test while nobody uses it: what the app is made of is fetched and compiled only once. */
  #idle: BrowserContext | null = null;
  #isClosed = false;
  /** Broken rules of the page's policy, errors nobody caught, and requests to anybody else. */
  readonly trouble: string[] = [];

  private constructor(provider: ScriptedProvider, parley: Parley, browser: Browser, preloads: boolean) {
    this.provider = provider;
    this.parley = parley;
    this.#browser = browser;
    this.#preloads = preloads;
  }

  static async start({
    agents,
    config = {},
    isFirstStart,
    env = {},
    preloads = false,
  }: WebAppOptions = {}): Promise<WebApp> {
    const provider = await ScriptedProvider.start();
    const given = agents ?? ['ada', 'bob'].map((id) => ({ agentId: id }));
    const configured = given.map((agent) => {
      const { agentId, ...more } = agent as { agentId: string };
      return scriptedAgent(provider.url, agentId, more);
    });
    const settings = isFirstStart ? {} : { config: { agents: configured, ...config } };
    const [parley, browser] = await Promise.all([
      Parley.start({ ...settings, env: { ...anotherBuild(), ...env } }),
      sharedChromium(),
    ]);
    return new WebApp(provider, parley, browser, preloads);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#idle?.close(), this.parley.close()]);
    await this.provider.close();
  }

  /** A browser that is signed in as the owner, at a path of the app. */
  async open(at = '/', options: ContextOptions = {}): Promise<Page> {
    const page = await this.#newPage(options);
    const { url } = await this.parley.ok<{ url: string }>('POST', '/api/sign-in-links', {});
    await page.goto(`${this.parley.url}${at}#${new URL(url).hash.slice(1)}`);
    await page.getByRole('banner').waitFor();
    return page;
  }

  /** A browser that nobody knows, at an address. */
  async stranger(url: string, options: ContextOptions = {}): Promise<Page> {
    const page = await this.#newPage(options);
    await page.goto(url);
    return page;
  }

  /** Another tab of the same browser. */
  async openTab(page: Page, at: string): Promise<Page> {
    const tab = await this.watch(await page.context().newPage());
    await tab.goto(this.parley.url + at);
    return tab;
  }

  /** In a browser of its own, which ends with the test: a page left open would go on following all that happens. */
  async #newPage(options: ContextOptions = {}): Promise<Page> {
    const isPlain = Object.keys(options).length === 0;
    const kept = isPlain ? this.#idle : null;
    if (kept) this.#idle = null;
    const context = kept ?? (await this.#newContext(options));
    onTestFinished(() => this.#leave(context, isPlain));
    const page = await context.newPage();
    if (kept) await this.#forget(page);
    return this.watch(page);
  }

  async #newContext(options: ContextOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      reducedMotion: 'reduce',
      viewport: { width: 1440, height: 900 },
      ...options,
    });
    context.setDefaultTimeout(15_000);
    if (!this.#preloads) await context.addInitScript(SAVE_DATA);
    return context;
  }

  async #leave(context: BrowserContext, isPlain: boolean): Promise<void> {
    if (!this.#browser.isConnected()) return;
    if (!isPlain || this.#idle || this.#isClosed) return context.close();
    this.#idle = context;
    await Promise.all(context.pages().map((page) => page.close()));
    await context.setOffline(false);
  }

  /** As if nobody had ever used this browser; only what the app is made of stays. */
  async #forget(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const storageTypes = 'cookies,local_storage,indexeddb,cache_storage,service_workers';
    await session.send('Storage.clearDataForOrigin', { origin: this.parley.url, storageTypes });
    await session.detach();
  }

  async watch(page: Page): Promise<Page> {
    page.on('pageerror', (error) => this.trouble.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== this.parley.url && !/^(data|blob|about):/.test(url.protocol))
        this.trouble.push(`request: ${url.href}`);
    });
    page.on('console', (message) => {
      if (/content security policy|permissions-policy|trusted/i.test(message.text()))
        this.trouble.push(`policy: ${message.text()}`);
    });
    await page.addInitScript(REPORT_VIOLATIONS);
    return page;
  }

  /** Kept as an artefact of the run. */
  async shot(page: Page, name: string): Promise<void> {
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }
}

let running: Promise<Browser> | null = null;

/** One for all files of a worker, which ends with the worker; another one when it crashed. */
async function sharedChromium(): Promise<Browser> {
  running ??= launchChromium();
  const browser = await running;
  if (browser.isConnected()) return browser;
  running = null;
  return sharedChromium();
}

async function launchChromium(): Promise<Browser> {
  const { executablePath, args, env } = await findChromium();
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } as Record<string, string> });
}

/** `PARLEY_WEB` names another build than the one in `dist-web`. */
function anotherBuild(): Record<string, string> {
  const { PARLEY_WEB } = process.env;
  return PARLEY_WEB ? { PARLEY_WEB } : {};
}

/** Of the conversation that is shown: others may be kept behind it. */
export function composer(page: Page) {
  return page.locator('[data-composer] textarea').filter({ visible: true });
}

/** Words in the transcript, not those that only announce them. */
export function said(page: Page, words: string | RegExp) {
  return page.getByRole('log').getByText(words).first();
}
