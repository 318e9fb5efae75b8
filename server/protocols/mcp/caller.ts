import type { ProtocolDeps } from '../protocol.ts';

/** For whom a request of an MCP client is answered. */
export interface McpCaller {
  readonly deps: ProtocolDeps;
  readonly owner: string;
  /** How many servers the request has passed through. */
  readonly hops: number;
}
