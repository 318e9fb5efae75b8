import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { makeScriptedServer, type ScriptedOptions } from './scripted-server.ts';

export interface ScriptedHttp {
  readonly url: string;
  readonly requests: { method: string; headers: IncomingHttpHeaders; body: string }[];
  /** As if it had been started anew. */
  forgetSessions(): void;
  /** Ends all connections in the middle of whatever they carry. */
  cutConnections(): void;
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: unknown) => unknown;

/** Of today: no sessions, wishes come as results. */
export function startModern(options: ScriptedOptions = {}): Promise<ScriptedHttp> {
  const handler = toNodeHandler(createMcpHandler(() => makeScriptedServer(options)));
  return start((request, response, body) => handler(request, response, body));
}

/** Of yesterday: with sessions, and with wishes that come while a call is under way. */
export function startLegacy(options: ScriptedOptions = {}): Promise<ScriptedHttp> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const open = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await makeScriptedServer(options).connect(transport);
    return transport;
  };
  const answer: Answer = async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    const isFirst = id === undefined && (body as { method?: string } | undefined)?.method === 'initialize';
    if (!known && !isFirst) return response.writeHead(404).end();
    return (known ?? (await open())).handleRequest(request, response, body);
  };
  return start(answer, () => sessions.clear());
}

/** Answers whatever is asked of it. */
export async function start(answer: Answer, forgetSessions = () => {}): Promise<ScriptedHttp> {
  const requests: ScriptedHttp['requests'] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    requests.push({ method: request.method!, headers: request.headers, body });
    await answer(request, response, body === '' ? undefined : JSON.parse(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, requests, forgetSessions, cutConnections: () => server.closeAllConnections(), close };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
}
