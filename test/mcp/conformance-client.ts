// Parley's MCP client as a program, for the protocol's own conformance suite: meets the server whose address is the last
// argument, and uses every tool it has. Whatever is asked on the way is answered with nothing, so that defaults apply.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McpServer } from '../../contract/config.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { McpServers } from '../../server/tools/mcp/servers.ts';
import type { InputSchema, Tool, ToolContext } from '../../server/tools/tool.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-conformance-'));
const store = await openSqlite(path.join(folder, 'parley.db'), { synchronous: 'normal' });
const settings = { it: McpServer.parse({ url: process.argv.at(-1), allowPrivateNetwork: true }) };
const servers = await McpServers.open({
  db: store.db,
  settings: () => settings,
  environment: {},
  version: '0.1.0',
  report: (problem, error) => console.error(problem, error),
});
try {
  await servers.ensureKnown();
  const [info] = servers.list();
  if (info?.state !== 'ready') throw new Error(`It is ${info?.state}: ${info?.error}`);
  for (const tool of servers.tools()) console.log(tool.name, await use(tool));
} finally {
  await servers.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}

function use(tool: Tool) {
  const context = {
    signal: AbortSignal.timeout(20_000),
    progress() {},
    ask: async () => ({ values: {} }),
  } as unknown as ToolContext;
  return tool.execute(tool.parse(inputFor(tool.inputSchema)), context);
}

/** Something that fits. */
function inputFor({ properties = {} }: InputSchema): Record<string, unknown> {
  const kinds = Object.entries(properties as Record<string, { type?: string }>);
  return Object.fromEntries(kinds.map(([name, { type }]) => [name, type === 'string' ? 'text' : 2]));
}
