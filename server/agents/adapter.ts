import type { TurnError, Usage } from '../../contract/turns.ts';

/** A message as everyone may read it: who said what, in order. The object is never changed once made. */
export interface AttributedMessage {
  readonly role: 'user' | 'assistant' | 'delegation';
  /**
   * Null for the person, and for old messages of which nobody knows who said them. On a user message, the agent that
   * sent a task or a result; on a delegation, the one that shall do it.
   */
  readonly agent: string | null;
  readonly text: string;
  /** Of a delegation: who gave the work. */
  readonly from?: string;
  /** What its speaker did on the way to its last words, when it used tools. Only the speaker itself is shown this. */
  readonly steps?: readonly SpokenStep[];
}

/** One request to a model that ended in tool calls: what was said, what was called, what came back. */
export interface SpokenStep {
  readonly text: string;
  readonly calls: readonly SpokenCall[];
  /** What the provider wants back with the step, word for word. */
  readonly opaque?: unknown;
}

export interface SpokenCall {
  readonly callId: string;
  readonly name: string;
  /** Arguments as JSON text. */
  readonly input: string;
  /** Null while it is not over. */
  readonly result: { readonly output: string; readonly isError: boolean } | null;
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
