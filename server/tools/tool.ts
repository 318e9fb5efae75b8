import type { Question } from '../../contract/actions.ts';
import type { NotifyMode } from '../../contract/delegation.ts';
import type { FilePart } from '../../contract/files.ts';
import type { ToolRisk, ToolSource } from '../../contract/tools.ts';
import type { Tx } from '../events/log.ts';
import type { Working } from '../workspaces/workspaces.ts';

/** JSON Schema of an object. */
export type InputSchema = Readonly<Record<string, unknown>>;

/** Something an agent can do besides speaking. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly capabilities: readonly string[];
  readonly source: ToolSource;
  readonly risk: ToolRisk;
  /** Patterns of the agents for which it is configured at all; absent: for every agent. */
  readonly agents?: readonly string[];
  /** What a skill's command line calls it; absent when it is not part of a skill. */
  readonly operation?: string;
  /**
   * It only waits for a person or another agent. After a restart of the server a waiting call is repeated with
   * `resumed`, and takes the wait up where it was instead of beginning anew.
   */
  readonly resumable?: true;
  /** The folder it works in for an agent, with every link resolved; absent when it works in none. */
  readonly workingFolder?: ((working: Working) => Promise<string>) | undefined;
  /** It sends what it is given to another host: with it an agent can pass on what it has read. */
  readonly sends?: true;
  /** No configuration and no standing approval lets it run without asking. */
  readonly alwaysAsks?: true;
  /**
   * All it does is to write rows with `context.tx`, where there is one: then they are stored in one transaction with the
   * call's beginning, result and end. It waits for nothing and reads no rows otherwise, because the database is held.
   */
  readonly atomic?: true;
  /**
   * What the call would bring about, as JSON text: shown with the approval, and compared again before it runs. Rejects with
   * `ToolFailure` when the call would be refused whatever the person says: then the person is not asked.
   */
  preview?(input: unknown): Promise<string | null>;
  /** What the agent is told about arguments the tool does not take; absent: the error's message as it is. */
  readonly describeFailure?: ((error: InputError) => string) | undefined;
  /** The input as it should be, or an `InputError` that says what is wrong with it. */
  parse(input: unknown): unknown;
  /** Rejects with `ToolFailure` for what the agent should be told, with anything else for a defect. */
  execute(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolOutput {
  readonly text: string;
  readonly isError?: boolean;
}

/** On whose behalf a tool works, and what it may ask of the turn it works for. */
export interface ToolContext {
  readonly owner: string;
  /** Null when a person calls the tool. */
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly callId: string;
  /** The transaction that stores the call; only of atomic tools, and not where a person was asked first. */
  readonly tx?: Tx | undefined;
  /** How many servers the message that led to this call has passed through. */
  readonly hops: number;
  readonly resumed: boolean;
  /** The folder that was shown when the person approved the call, and the only one it may use; null when not asked. */
  readonly approvedFolder: string | null;
  /** Aborts when the turn is stopped or the call takes too long. */
  readonly signal: AbortSignal;
  /** Shown on live streams; never stored. */
  progress(progress: Progress): void;
  /** Asks the person and waits. Null when they decline. The question outlives a restart only of a resumable tool. */
  ask(question: Question): Promise<Answer | null>;
  /** Says that the call waits for a person elsewhere, or no longer does. */
  waiting(isWaiting: boolean): Promise<void>;
  /** Goes on in a session of its own after this call has returned; what it says is told to the caller at the end. */
  background(work: BackgroundWork): Promise<BackgroundSession>;
  /** Makes a file, whose contents are stored already, a part of the agent's answer; nothing happens for a person. */
  attach(file: Omit<FilePart, 'type'>): void;
  /** Whether the agent's denylists or capabilities keep another tool, and with it what that tool shows, from the agent. */
  denies(tool: string): boolean;
  /** For programs that this call starts: lets them call tools as this turn until it is over. Null for a person's. */
  turnToken(): string | null;
}

export interface Progress {
  readonly text?: string;
  /** From 0 to 1. */
  readonly fraction?: number;
}

export interface Answer {
  readonly text?: string | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

export interface BackgroundWork {
  readonly title: string;
  readonly description: string;
  /** How the agent that began it is told of its end; default: it is woken. */
  readonly notify?: NotifyMode;
  /** Says what it does as it goes; throws `ToolFailure` when it fails. */
  run(signal: AbortSignal, host: WorkHost): AsyncIterable<string>;
}

/** What work in a session of its own may ask for there. */
export interface WorkHost {
  /** Work of its own, in a session that is linked to this one. */
  openWork(work: BackgroundWork): Promise<BackgroundSession>;
}

export interface BackgroundSession {
  readonly sessionId: string;
  readonly turnId: string;
}

/** The call did not work, in words for the agent. */
export class ToolFailure extends Error {
  readonly code: string;

  constructor(message: string, code = 'tool_failed') {
    super(message);
    this.name = 'ToolFailure';
    this.code = code;
  }
}

/** The arguments are not what the tool takes. */
export class InputError extends ToolFailure {
  constructor(message: string) {
    super(message, 'invalid_input');
    this.name = 'InputError';
  }
}
