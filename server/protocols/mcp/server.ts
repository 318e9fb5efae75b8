import { Hono } from 'hono';
import { ROUTES } from '../../../contract/routes.ts';
import { assertNoQuery, type Ctx, type Env } from '../../http/mount.ts';
import { hopsOf } from '../hops.ts';
import type { ProtocolDeps } from '../protocol.ts';
import type { McpCaller } from './caller.ts';
import { addResources } from './resources.ts';
import { addTools } from './server-tools.ts';
import { SIGN_EVERY_MS } from './signs.ts';

const INSTRUCTIONS = [
  'Parley is where a person talks with several agents. list_agents says which of them can be messaged from here.',
  'message_agent asks one of them and gives its answer; pass the session that it returns to go on in the same conversation.',
].join(' ');

/** Parley itself as an MCP server: its exposed agents and the person's sessions. */
export function mcpServerRoutes(deps: ProtocolDeps): Hono<Env> {
  return new Hono<Env>().post(ROUTES.mcpServer.path, (c) => answer(deps, c));
}

async function answer(deps: ProtocolDeps, c: Ctx): Promise<Response> {
  assertNoQuery(c);
  const parsedBody = await deps.readJson(c);
  const caller: McpCaller = { deps, owner: c.get('owner'), hops: hopsOf(deps, c) };
  // Large, and needed by few servers.
  const { createMcpHandler, McpServer, ResourceTemplate } = await import('@modelcontextprotocol/server');
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'parley', version: deps.version }, { instructions: INSTRUCTIONS });
      addTools(server, caller);
      addResources(server, ResourceTemplate, caller);
      return server;
    },
    { responseMode: 'sse', keepAliveMs: SIGN_EVERY_MS },
  );
  return handler.fetch(c.req.raw, { parsedBody });
}
