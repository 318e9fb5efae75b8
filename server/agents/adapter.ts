import type { FileKind } from '../../contract/files.ts';
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
  /**
   * Everything its speaker did, when it used tools; only the speaker itself is shown this. The words after the last
   * results are a last step without calls.
   */
  readonly steps?: readonly SpokenStep[];
  readonly files?: readonly AttachedFile[];
}

/** What a person attached to a message. */
export interface AttachedFile {
  /** Null when its contents are not here. */
  readonly fileId: string | null;
  readonly name: string;
  readonly mediaType: string;
  readonly kind: FileKind;
  readonly bytes: number;
  /** What is in it, once it was read; null when that could not be. */
  readonly text?: string | null;
}

/** Where the contents of attached files are. Null when one is gone. */
export interface FileContents {
  text(fileId: string): Promise<string | null>;
  base64(fileId: string): Promise<string | null>;
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
  /** The agent whose message this is, when it is not the person's. */
  readonly askedBy: string | null;
  /** The agent that brings what came of work it was given earlier. */
  readonly broughtBy: string | null;
  /** What was done before the server stopped, when the turn goes on after that. The last may not be over. */
  readonly steps: readonly SpokenStep[];
  readonly tools: TurnTools;
  /** Null when `<delegate>` tags are just words. */
  readonly delegates: TurnDelegates | null;
  /** What the agent has said since and what the person added to it; asked for between steps, empty when nothing came. */
  readonly steer: () => Promise<readonly AttributedMessage[]>;
  /** Asked before every step: null to go on, or how the turn ends here. May wait for the person. */
  readonly mayStep: (step: number) => Promise<AgentEnd | null>;
}

/** What a turn may use, already scoped. */
export interface TurnTools {
  /** The same array for the same tools, so that what is made of it can be kept. */
  readonly offered: readonly OfferedTool[];
  readonly skills: readonly OfferedSkill[];
  /** Whom the agent may ask. */
  readonly agents: readonly OfferedAgent[];
  /** Carries out the calls of a step side by side; over when all are. Never throws for a call that fails. */
  carryOut(step: RequestedStep): Promise<SpokenStep>;
  /** The same for a step that was begun before the server stopped. */
  takeUp(step: SpokenStep): Promise<SpokenStep>;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
}

export interface OfferedSkill {
  readonly id: string;
  readonly description: string;
  readonly skillPath: string;
  readonly command: string;
}

export interface OfferedAgent {
  readonly agentId: string;
  readonly displayName: string;
  readonly description: string;
}

export interface RequestedStep {
  readonly calls: readonly { readonly name: string; readonly input: string }[];
  readonly opaque?: unknown;
}

/** `<delegate>` tags in an answer. */
export interface TurnDelegates {
  readonly agents: readonly OfferedAgent[];
  filter(): DelegationFilter;
  /** Has them done one after the other. Gives what was said meanwhile, and null when the person stopped it. */
  follow(wanted: readonly DelegationWish[]): Promise<readonly AttributedMessage[] | null>;
}

export interface DelegationWish {
  readonly to: string;
  readonly task: string;
}

/** Takes the tags out of text that comes in pieces. */
export interface DelegationFilter {
  push(piece: string): string;
  end(): string;
  /** What was found since the last time. */
  take(): DelegationWish[];
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
  | AgentEnd;

export interface AgentEnd {
  readonly type: 'end';
  readonly reason: AgentEndReason;
  readonly stopReason: string;
  readonly error?: TurnError;
}

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
