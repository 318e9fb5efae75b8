import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../harness/parley.ts';
import { callAsTold } from './calling.ts';
import { TestServer, type TestServerOptions } from './test-server.ts';

/** A server with the plugin `shop`, whose agents call what they are told to. */
export async function startWithShop({
  config,
  ...options
}: TestServerOptions): Promise<{ server: TestServer; shop: ShopPlugin }> {
  const shop = await ShopPlugin.open();
  const server = await TestServer.start({ ...options, home: shop.home, config: { plugins: ['shop'], ...config } });
  server.provider.script(callAsTold);
  return { server, shop };
}

/** What the test knows of one call that has reached its tool. */
interface Visit {
  key: string;
  response: ServerResponse;
  /** The tool gave up before it was answered. */
  left: boolean;
}

/**
 * A plugin of the owner's own whose tools do as the test wants, and the test's side of it. `shop_wait` lasts until its
 * key is opened; what `shop_count` and `shop_risky` have done is counted here, outside everything a crash could undo.
 */
export class ShopPlugin {
  readonly home: string;
  readonly #server: Server;
  readonly visits: Visit[] = [];
  readonly #counts = new Map<string, number>();
  readonly #opened = new Map<string, string>();

  private constructor() {
    this.home = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
    this.#server = createServer((request, response) => this.#visit(request, response));
  }

  static async open(): Promise<ShopPlugin> {
    const shop = new ShopPlugin();
    await new Promise<void>((resolve) => shop.#server.listen(0, '127.0.0.1', resolve));
    shop.#write();
    return shop;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Lets calls with this key come back, now and later. */
  release(key: string, output = `${key} done`): void {
    this.#opened.set(key, output);
    for (const visit of this.visits) if (visit.key === key && !visit.left) visit.response.end(output);
  }

  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  async arrived(...keys: string[]): Promise<void> {
    await until(
      async () => this.visits.map((visit) => visit.key),
      (all) => keys.every((key) => all.includes(key)),
    );
  }

  /** The tool itself was stopped, not only forgotten. */
  async gaveUp(key: string): Promise<void> {
    await until(
      async () => this.visits.filter((visit) => visit.key === key),
      (visits) => visits.length > 0 && visits.every(({ left }) => left),
    );
  }

  #visit(request: IncomingMessage, response: ServerResponse): void {
    const [, kind, key = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    if (kind === 'count') {
      this.#counts.set(key, this.count(key) + 1);
      response.end(`${key} counted`);
      return;
    }
    const visit = { key, response, left: false };
    response.on('close', () => {
      visit.left = !response.writableFinished;
    });
    this.visits.push(visit);
    const output = this.#opened.get(key);
    if (output !== undefined) response.end(output);
  }

  #write(): void {
    const folder = path.join(this.home, 'plugins', 'shop');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const manifest = { id: 'shop', description: 'Does as the test wants.', tools: 'tools.mjs' };
    writeFileSync(path.join(folder, 'plugin.json'), JSON.stringify(manifest));
    writeFileSync(path.join(folder, 'SKILL.md'), '# Shop\n');
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    writeFileSync(path.join(folder, 'tools.mjs'), TOOLS.replace('SHOP_URL', url));
  }
}

const TOOLS = `
export default ({ z, defineTool, ToolFailure }) => {
  const go = async (kind, key, signal) => {
    const response = await fetch('SHOP_URL/' + kind + '/' + encodeURIComponent(key), { method: 'POST', signal });
    return response.text();
  };
  const tool = (name, risk, input, execute) =>
    defineTool({ name: 'shop_' + name, description: 'Does ' + name + '.', risk, operation: name, input: z.strictObject(input),
      capabilities: ['shop.' + name] }, execute);
  const key = z.string();
  return [
    tool('wait', 'read', { key }, ({ key }, { signal }) => go('wait', key, signal)),
    tool('deaf', 'read', { key }, ({ key }) => go('wait', key)),
    tool('count', 'read', { key }, ({ key }, { signal }) => go('count', key, signal)),
    tool('risky', 'execute', { key }, ({ key }, { signal }) => go('count', key, signal)),
    tool('slow_risky', 'execute', { key }, async ({ key }, { signal }) => {
      await go('count', key, signal);
      return go('wait', key, signal);
    }),
    tool('progress', 'read', { key }, ({ key }, { signal, progress }) => {
      progress({ text: 'halfway', fraction: 0.5 });
      return go('wait', key, signal);
    }),
    tool('fail', 'read', { why: z.string() }, async ({ why }) => { throw new ToolFailure(why); }),
    tool('break', 'read', {}, async () => { throw new Error('the password is swordfish, see /etc/shadow'); }),
    tool('long', 'read', { text: z.string(), times: z.int() }, async ({ text, times }) => text.repeat(times)),
    tool('ask', 'read', { question: z.string() }, async ({ question }, { ask }) => JSON.stringify(await ask({ question }))),
  ];
};
`;
