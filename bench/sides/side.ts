import type { WireRequest } from '../load/connection.ts';
import type { Child } from './child.ts';

/** A server under measurement: what differs between Parley and the baselines, and nothing else. */
export interface Side {
  readonly name: string;
  readonly child: Child;
  /** Begins a conversation, with an agent other than the usual one where it is named. */
  open(agentId?: string): Promise<string>;
  /** Says something; the answer comes as a stream of tokens. */
  turn(conversation: string, text: string): WireRequest;
  /** The newest conversations. */
  list(limit: number): WireRequest;
  stop(): Promise<void>;
}
