import type { ServerContext } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import { ROUTES } from '../../../contract/routes.ts';
import { say } from '../../../contract/texts.ts';
import { assertNoQuery, type Env } from '../../http/mount.ts';
import type { RunningTurn } from '../../turns/running-turn.ts';
import type { ProtocolDeps } from '../protocol.ts';
import { giveSigns, SIGN_EVERY_MS } from './signs.ts';

/** The tools of a running turn, for the program that runs it. */
export function turnToolRoutes({ version, readJson }: ProtocolDeps): Hono<Env> {
  return new Hono<Env>().post(ROUTES.turnTools.path, async (c) => {
    assertNoQuery(c);
    const body = await readJson(c);
    const running = c.get('turn');
    if (!running) throw new AppError('turn_token_invalid', say('turn_token_invalid.missing'));
    return answerMcp(running, version, c.req.raw, body);
  });
}

/**
 * Answers one request of an MCP client with the tools of a turn. Which tools are listed and which may be called is decided
 * by the turn's toolset, as for its model, and calls are recorded like any other.
 */
async function answerMcp(
  running: RunningTurn,
  version: string,
  request: Request,
  parsedBody: unknown,
): Promise<Response> {
  // Large, and needed by few agents.
  const { createMcpHandler, Server } = await import('@modelcontextprotocol/server');
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'parley', version }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => ({ tools: listed(running) }));
      server.setRequestHandler('tools/call', ({ params }, context) => call(running, params, context));
      return server;
    },
    { responseMode: 'sse', keepAliveMs: SIGN_EVERY_MS },
  );
  return handler.fetch(request, { parsedBody });
}

/** A guest has none. */
function listed({ toolset }: RunningTurn) {
  return (toolset?.offered ?? []).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    // Claude Code would otherwise hide the tool until it is searched for.
    _meta: { 'anthropic/alwaysLoad': true },
  }));
}

interface Wanted {
  name: string;
  arguments?: Record<string, unknown> | undefined;
}

async function call({ toolset }: RunningTurn, { name, arguments: input = {} }: Wanted, context: ServerContext) {
  if (!toolset) return toResult('This agent has no tools in this turn.', true);
  const stopSigns = giveSigns(context);
  try {
    const wanted = { name, input: JSON.stringify(input) };
    const row = await toolset.carryOutFor('mcp', wanted, context.mcpReq.signal);
    if (row.ended_at === null) return toResult('The turn was stopped before this call finished.', true);
    return toResult(row.output ?? '', row.is_error === 1);
  } finally {
    stopSigns();
  }
}

function toResult(text: string, isError: boolean) {
  return { content: [{ type: 'text' as const, text }], isError };
}
