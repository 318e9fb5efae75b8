import { once } from 'node:events';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { ROUTES } from '../../contract/routes.ts';
import { CommandFailure } from '../failure.ts';
import { packageVersion } from '../version.ts';

export function define(command: Command): void {
  command
    .description(
      'Offer the tools of a running turn as an MCP server on standard input and output.\n' +
        'For programs that an agent starts: PARLEY_URL and PARLEY_TURN_TOKEN name the server and the turn.',
    )
    .action(bridge);
}

/** Longer than any call takes; the server ends calls by its own limits. */
const FOREVER_MS = 2 ** 31 - 1;

/** Passes lists and calls on to the turn's MCP server. It ends with its input. */
async function bridge(): Promise<void> {
  const { PARLEY_URL: url, PARLEY_TURN_TOKEN: token } = process.env;
  if (!url || !token)
    throw new CommandFailure('Set PARLEY_URL and PARLEY_TURN_TOKEN. Agents set them for their programs.');
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { Server } = await import('@modelcontextprotocol/server');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const about = { name: 'parley', version: packageVersion() };
  const client = new Client(about);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(ROUTES.turnTools.path, url), { requestInit });
  await client.connect(transport).catch(() => {
    throw new CommandFailure(`No tools at ${url}: the turn has ended, or no server is running there.`);
  });
  const ended = once(process.stdin, 'close');
  serveStdio(() => {
    const server = new Server(about, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => client.listTools());
    server.setRequestHandler('tools/call', ({ params: { name, arguments: input = {} } }, context) =>
      client.callTool({ name, arguments: input }, callOptions(context)),
    );
    return server;
  });
  await ended;
  await client.close();
}

/** Passes on the caller's progress token and its request to stop. */
function callOptions({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    timeout: FOREVER_MS,
    ...(progressToken !== undefined && {
      onprogress: (progress: { progress: number }) =>
        void mcpReq
          .notify({ method: 'notifications/progress', params: { ...progress, progressToken } })
          .catch(() => undefined),
    }),
  };
}
