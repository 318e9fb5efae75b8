import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { createServer } from 'node:net';
import type { DrivenBrowser } from './driven-browser.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const XVFB = '/usr/bin/xvfb-run';
const KEYS = { Enter: '\uE007', Escape: '\uE00C', Control: '\uE009' } as const;

/** The small browser that comes with Debian's `webkit2gtk-driver`; undefined where something of it is missing. */
export function findWebKit(): string | undefined {
  if (!existsSync(DRIVER) || !existsSync(XVFB)) return undefined;
  return globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').at(-1);
}

/** Over classic WebDriver, on a display of its own. */
export async function openWebKit(binary: string): Promise<DrivenBrowser> {
  const port = await freePort();
  const driver = spawn(XVFB, ['-a', DRIVER, `--port=${port}`, '--host=127.0.0.1'], { stdio: 'ignore', detached: true });
  const url = `http://127.0.0.1:${port}`;
  await ready(url);
  const options = { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': { binary, args: ['--automation'] } };
  const { sessionId } = await ask<{ sessionId: string }>(url, 'POST', '/session', {
    capabilities: { alwaysMatch: options },
  });
  return new WebKit(`${url}/session/${sessionId}`, driver);
}

class WebKit implements DrivenBrowser {
  readonly #url: string;
  readonly #driver: ChildProcess;

  constructor(url: string, driver: ChildProcess) {
    this.#url = url;
    this.#driver = driver;
  }

  async goto(url: string): Promise<void> {
    await this.#post('/url', { url });
  }

  async reload(): Promise<void> {
    await this.#post('/refresh', {});
  }

  evaluate<T>(expression: string): Promise<T> {
    return this.#post<T>('/execute/sync', { script: `return (${expression})`, args: [] });
  }

  async type(text: string): Promise<void> {
    await this.#keys([...text].flatMap((value) => [down(value), up(value)]));
  }

  async press(keys: 'Enter' | 'Escape' | 'Control+k'): Promise<void> {
    const values = keys.split('+').map((key) => KEYS[key as keyof typeof KEYS] ?? key);
    await this.#keys([...values.map(down), ...values.toReversed().map(up)]);
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#post('/window/rect', { width, height });
  }

  async close(): Promise<void> {
    await ask(this.#url, 'DELETE', '', undefined).catch(() => undefined);
    process.kill(-this.#driver.pid!, 'SIGTERM');
  }

  async #keys(actions: readonly object[]): Promise<void> {
    await this.#post('/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  #post<T>(path: string, body: object): Promise<T> {
    return ask<T>(this.#url, 'POST', path, body);
  }
}

function down(value: string) {
  return { type: 'keyDown', value };
}

function up(value: string) {
  return { type: 'keyUp', value };
}

async function ask<T>(url: string, method: string, path: string, body: object | undefined): Promise<T> {
  const response = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: T & { message?: string } };
  if (!response.ok) throw new Error(`WebKitWebDriver: ${value.message}`);
  return value;
}

async function ready(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const isUp = await fetch(`${url}/status`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('WebKitWebDriver did not start');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
