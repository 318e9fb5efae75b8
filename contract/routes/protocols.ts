import { z } from 'zod';
import { AgentId } from '../names.ts';
import type { Route } from './route.ts';

const agent = z.object({ agentId: AgentId });
const operation = agent.extend({ operation: z.string() });

/**
 * Where clients of other protocols come in, and with which access. `server/protocols/` answers; a first path segment that
 * is named here is never a page of the web app.
 */
export const PROTOCOLS_ROUTES = {
  turnTools: {
    method: 'POST',
    path: '/api/turn-tools',
    access: 'turn',
    summary: 'The tools of a running turn as an MCP server (streamable HTTP), for the token of that turn',
    body: z.json(),
    status: 200,
    media: '*/*',
    protocol: 'mcp',
  },
  a2aAgents: {
    method: 'GET',
    path: '/a2a/agents',
    access: 'member',
    summary: 'The agents that are offered over A2A, with the addresses of their cards',
    status: 200,
    media: '*/*',
    protocol: 'a2a',
  },
  a2aRpc: {
    method: 'POST',
    path: '/a2a/{agentId}/',
    access: 'member',
    summary: 'An agent over A2A by JSON-RPC, versions 1.0 and 0.3',
    params: agent,
    body: z.json(),
    status: 200,
    media: '*/*',
    protocol: 'a2a',
  },
  a2aRead: {
    method: 'GET',
    path: '/a2a/{agentId}/{operation+}',
    access: 'member',
    summary: "An agent's card, and its tasks over A2A by HTTP+JSON",
    params: operation,
    status: 200,
    media: '*/*',
    protocol: 'a2a',
  },
  a2aCall: {
    method: 'POST',
    path: '/a2a/{agentId}/{operation+}',
    access: 'member',
    summary: 'An agent over A2A by HTTP+JSON',
    params: operation,
    bodyOptional: true,
    status: 200,
    media: '*/*',
    protocol: 'a2a',
  },
} as const satisfies Record<string, Route>;
