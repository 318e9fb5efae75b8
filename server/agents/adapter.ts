import type { TurnError, Usage } from '../../contract/turns.ts';

/** A message as everyone may read it: who said what, in order. The object is never changed once made. */
export interface AttributedMessage {
  readonly role: 'user' | 'assistant';
  /** Null for the person, and for old messages of which nobody knows who said them. */
  readonly agent: string | null;
  readonly text: string;
}

/** What a turn is about, whoever takes it. */
export interface TurnInput {
  /** Stands for what came before the history. */
  readonly summary: string | null;
  /** Ends with the message to answer. */
  readonly history: readonly AttributedMessage[];
  /** Somebody besides this agent has spoken, archived messages included. */
  readonly othersSpoke: boolean;
  /** A guest turn: no tools, whatever the agent could use otherwise. */
  readonly textOnly: boolean;
  /** What the agent has said since and what the person added to it; asked for between steps, empty when nothing came. */
  readonly steer: () => Promise<readonly AttributedMessage[]>;
}

/** What was asked for, except the history: that is the transcript, read as this agent, and can be made again from it. */
export interface SeenRequest {
  readonly system: string;
  readonly model: string;
  readonly tools: readonly string[];
  readonly estimatedTokens: number;
}

export type AgentEvent =
  | { type: 'seen'; request: SeenRequest }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'rejected_tool'; callId: string; name: string; input: string; reason: string }
  | { type: 'usage'; usage: Usage }
  | { type: 'end'; reason: AgentEndReason; stopReason: string; error?: TurnError };

/** `overflow`: the request did not fit the model; nothing was said. */
export type AgentEndReason = 'complete' | 'failed' | 'cancelled' | 'overflow';

/**
 * Anything that can speak. Never throws: every failure is an `end` event. Exactly one `end`, and it is last. Honours
 * `signal`: once aborted, it ends soon and whatever it started is stopped.
 */
export interface AgentAdapter {
  readonly canSteer: boolean;
  take(input: TurnInput, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
