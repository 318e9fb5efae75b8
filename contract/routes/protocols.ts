import { z } from 'zod';
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
} as const satisfies Record<string, Route>;
