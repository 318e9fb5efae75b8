import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { findChromium } from './chromium.ts';

export interface BrowserStageOptions {
  agents?: readonly object[];
  config?: object;
  /** Nothing is configured: it begins with the demo, as for somebody who has just arrived. */
  isFirstStart?: boolean;
}

const SHOTS = path.resolve(import.meta.dirname, '../../.vitest/screenshots');

/** Runs in the page. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('content security policy: ' + event.violatedDirective + ' ' + event.blockedURI))`;

/** The built web app on a real server, in a real browser, watched for everything that must not happen. */
export class BrowserStage {
  readonly provider: ScriptedProvider;
  readonly parley: Parley;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  /** Broken rules of the page's policy, errors nobody caught, and requests to anybody else. */
  readonly trouble: string[] = [];

  private constructor(provider: ScriptedProvider, parley: Parley, browser: Browser) {
    this.provider = provider;
    this.parley = parley;
    this.#browser = browser;
  }

  static async start({ agents, config = {}, isFirstStart }: BrowserStageOptions = {}): Promise<BrowserStage> {
    const provider = await ScriptedProvider.start();
    const given = agents ?? ['ada', 'bob'].map((id) => ({ agentId: id }));
    const configured = given.map((agent) => {
      const { agentId, ...more } = agent as { agentId: string };
      return scriptedAgent(provider.url, agentId, more);
    });
    const settings = isFirstStart ? {} : { config: { agents: configured, ...config } };
    const parley = await Parley.start({ ...settings, env: anotherBuild() });
    const { executablePath, args, env } = await findChromium();
    const browser = await chromium.launch({
      executablePath,
      args,
      env: { ...process.env, ...env } as Record<string, string>,
    });
    return new BrowserStage(provider, parley, browser);
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
    await this.#browser.close();
    await this.parley.close();
    await this.provider.close();
  }

  /** A browser that is signed in as the owner, at a path of the app. */
  async open(at = '/', options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const page = await this.#newPage(options);
    const { url } = await this.parley.ok<{ url: string }>('POST', '/api/sign-in-links', {});
    await page.goto(`${this.parley.url}${at}#${new URL(url).hash.slice(1)}`);
    await page.getByRole('banner').waitFor();
    return page;
  }

  /** A browser that nobody knows, at an address. */
  async stranger(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
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

  async #newPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      reducedMotion: 'reduce',
      viewport: { width: 1440, height: 900 },
      ...options,
    });
    context.setDefaultTimeout(15_000);
    this.#contexts.push(context);
    return this.watch(await context.newPage());
  }

  async watch(page: Page): Promise<Page> {
    page.on('pageerror', (error) => this.trouble.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== this.parley.url && !/^(data|blob|about):/.test(url.protocol))
        this.trouble.push(`request: ${url.href}`);
    });
    page.on('console', (message) => {
      if (/content security policy|trusted/i.test(message.text())) this.trouble.push(`policy: ${message.text()}`);
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
