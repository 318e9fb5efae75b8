import { z } from 'zod';
import { AgentId } from '../names.ts';
import type { Route } from './route.ts';

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
  mcpServer: {
    method: 'POST',
    path: '/mcp',
    access: 'member',
    summary: 'Parley as an MCP server (streamable HTTP): its exposed agents and the sessions of the person',
    body: z.json(),
    status: 200,
    media: '*/*',
    protocol: 'mcp',
  },
  openAiModels: {
    method: 'GET',
    path: '/v1/models',
    access: 'member',
    summary: 'Exposed agents as models (OpenAI)',
    status: 200,
    protocol: 'openai',
    lenient: true,
  },
  openAiModel: {
    method: 'GET',
    path: '/v1/models/{model+}',
    access: 'member',
    summary: 'An exposed agent as a model (OpenAI)',
    params: z.object({ model: AgentId }),
    status: 200,
    protocol: 'openai',
    lenient: true,
  },
  openAiChat: {
    method: 'POST',
    path: '/v1/chat/completions',
    access: 'member',
    summary: 'Ask an exposed agent (OpenAI chat completions)',
    body: z.json(),
    status: 200,
    media: '*/*',
    protocol: 'openai',
    lenient: true,
  },
  openAiResponses: {
    method: 'POST',
    path: '/v1/responses',
    access: 'member',
    summary: 'Ask an exposed agent (OpenAI responses)',
    body: z.json(),
    status: 200,
    media: '*/*',
    protocol: 'openai',
    lenient: true,
  },
  openAiResponse: {
    method: 'GET',
    path: '/v1/responses/{id}',
    access: 'member',
    summary: 'A response, also while it is being made (OpenAI)',
    params: z.object({ id: z.string() }),
    status: 200,
    protocol: 'openai',
    lenient: true,
  },
  openAiCancel: {
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    access: 'member',
    summary: 'Stop a response (OpenAI)',
    params: z.object({ id: z.string() }),
    bodyOptional: true,
    status: 200,
    protocol: 'openai',
    lenient: true,
  },
} as const satisfies Record<string, Route>;
