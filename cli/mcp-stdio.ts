import { once } from 'node:events';
import type { ServerContext } from '@modelcontextprotocol/server';
import { CommandFailure } from './failure.ts';
import { packageVersion } from './version.ts';

export interface McpEndpoint {
  url: URL;
  token: string;
  /** Said when nothing answers there. */
  unreachable: string;
  /** Whether it has resources besides tools. */
  resources: boolean;
}

/** Longer than any call takes; the server ends calls by its own limits. */
const FOREVER_MS = 2 ** 31 - 1;

/** Passes requests from standard input on to an MCP server of Parley. It ends with its input. */
export async function serveMcpOnStdio({ url, token, unreachable, resources }: McpEndpoint): Promise<void> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { Server } = await import('@modelcontextprotocol/server');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const about = { name: 'parley', version: packageVersion() };
  const client = new Client(about);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit })).catch(() => {
    throw new CommandFailure(unreachable);
  });
  const ended = once(process.stdin, 'close');
  serveStdio(() => {
    const capabilities = { tools: {}, ...(resources && { resources: {} }) };
    const server = new Server(about, { capabilities, ...instructionsOf(client) });
    server.setRequestHandler('tools/list', () => client.listTools());
    server.setRequestHandler('tools/call', ({ params: { name, arguments: input = {}, _meta } }, context) =>
      client.callTool(
        { name, arguments: input, ...(_meta && { _meta: withoutProgress(_meta) }) },
        callOptions(context),
      ),
    );
    if (resources) passResources(server, client);
    return server;
  });
  await ended;
  await client.close();
}

type Sdk = typeof import('@modelcontextprotocol/client');
type McpClient = InstanceType<Sdk['Client']>;
type McpServerSide = InstanceType<typeof import('@modelcontextprotocol/server')['Server']>;

function instructionsOf(client: McpClient): { instructions?: string } {
  const instructions = client.getInstructions();
  return instructions === undefined ? {} : { instructions };
}

function passResources(server: McpServerSide, client: McpClient): void {
  server.setRequestHandler('resources/list', () => client.listResources());
  server.setRequestHandler('resources/templates/list', () => client.listResourceTemplates());
  server.setRequestHandler('resources/read', ({ params: { uri } }) => client.readResource({ uri }));
}

/** The progress of the call is asked for anew, on the way to the server. */
function withoutProgress({ progressToken: _, ...meta }: Record<string, unknown>): Record<string, unknown> {
  return meta;
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
