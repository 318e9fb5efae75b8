import type { Question } from '../../contract/actions.ts';
import type { AgentPatch, AgentType, ConnectionCheck } from '../../contract/agents.ts';
import type { Limits } from '../../contract/config.ts';
import type { PlanEntry } from '../../contract/events.ts';
import type { ExternalCallback } from '../../contract/external.ts';
import type { Attachable, FileKind } from '../../contract/files.ts';
import type { Text } from '../../contract/texts.ts';
import type { TurnError, Usage } from '../../contract/turns.ts';
import type { Environment } from '../config/environment.ts';
import type { ModelMessage } from '../models/types.ts';
import type { ProcessRegistry } from '../processes/registry.ts';
import type { BackgroundSession, BackgroundWork } from '../tools/tool.ts';
import type { Attachments } from './attachments.ts';
import type { StartedProgram } from './command-line.ts';
import type { OwnCall, Permission, PersonAnswer, ToolEndpoint } from './host-requests.ts';
import type { Pool } from './pool.ts';
import type { ResolvedAgent } from './resolved-agent.ts';

/** A message as every agent in the session may read it: who said what, in order. The object never changes. */
export interface AttributedMessage {
  /** Its place in the session; absent where it has none yet. */
  readonly seq?: number;
  readonly role: 'user' | 'assistant' | 'delegation';
  /**
   * Null for the person, and for old messages whose speaker is unknown. On a user message, the agent that sent a task
   * or a result; on a delegation, the one that shall do it.
   */
  readonly agent: string | null;
  readonly text: string;
  /** Of a delegation, and of a result that an agent brings: the agent that asked for the work. */
  readonly from?: string;
  /** Of a delegation that was refused: why. The text is the task alone. */
  readonly refusal?: string;
  /**
   * Everything its speaker did, when it used tools; only the speaker itself is shown this. The words after the last
   * results are a last step without calls.
   */
  readonly steps?: readonly SpokenStep[];
  readonly files?: readonly AttachedFile[];
  /** Of a request to a webhook: what the webhook is called. The words are not the person's. */
  readonly webhook?: string;
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

/** What a turn is about: the same for every kind of agent. */
export interface TurnInput {
  readonly sessionId: string;
  readonly turnId: string;
  /** Stands for what came before the history. */
  readonly summary: string | null;
  /** The message to answer. */
  readonly input: AttributedMessage;
  /** Ends with the message to answer. */
  readonly history: readonly AttributedMessage[];
  /** What an agent that owns its context is to be shown before the message to answer. Empty for other agents. */
  readonly unseen: Unseen;
  /** What an agent that owns its context last gave as its `state` in this session; null when there is none. */
  readonly state: string | null;
  /** Another agent has spoken, archived messages included. */
  readonly othersSpoke: boolean;
  /** A guest turn: no tools, even where the agent has some otherwise. */
  readonly textOnly: boolean;
  /** The agent whose message this is, when it is not the person's. */
  readonly askedBy: string | null;
  /** The agent that brings the result of work it was given earlier. */
  readonly broughtBy: string | null;
  /** The webhook whose request it is. */
  readonly sentBy: string | null;
  /** What was done before the server stopped, when the turn goes on after that. The last step may be unfinished. */
  readonly steps: readonly SpokenStep[];
  /**
   * The turn had begun before the server stopped: the agent goes on from `state` and sends nothing a second time. Where it
   * cannot, it ends with `interrupted`.
   */
  readonly resumed: boolean;
  /** The words that were said then, since the last stored message. */
  readonly said: string;
  /** How many servers the message that began all this has passed through. */
  readonly hops: number;
}

/** What was said by others since the agent was last shown anything; all that was said when it has no `state`. */
export interface Unseen {
  /** Stands for unseen messages that are older than those below. */
  readonly summary: string | null;
  readonly messages: readonly AttributedMessage[];
}

/** What a running turn offers its agent. */
export interface TurnHost {
  readonly tools: TurnTools;
  readonly surroundings: Surroundings;
  /** Null when `<delegate>` tags are plain text. */
  readonly delegates: TurnDelegates | null;
  /** What the agent has said since and what the person added to it; asked for between steps, empty when nothing came. */
  steer(): Promise<readonly AttributedMessage[]>;
  /** Asked before every step: null to go on, or how the turn ends here. May wait for the person. */
  mayStep(step: number): Promise<AgentEnd | null>;
  /**
   * Archives all but the newest messages, those of about `keepTokens`, behind a summary by this agent. Gives the input as
   * it is then; null when there was nothing to archive, or no summary could be made.
   */
  compact(keepTokens: number): Promise<TurnInput | null>;
  /** The folder in which programs of this turn work; a real path. Rejects with an `AppError` when it cannot be used. */
  workspace(): Promise<string>;
  /**
   * The same toolset for a program that the agent starts, as an MCP server. It is there until the turn is over. `token`: what
   * the program was given in an earlier turn and still has; it is valid again in this one.
   */
  toolEndpoint(token?: string): ToolEndpoint;
  /**
   * Whether the agent may use a tool of its own. Decided by the same policy as Parley's tools; where that says so, the
   * person is asked. May take days, and outlives a restart: asked again under the same `callId`, it is the same request.
   */
  approve(call: OwnCall): Promise<Permission>;
  /** The person's answer; null when they decline. The same `id` is the same question, also after a restart. */
  ask(id: string, question: Question): Promise<PersonAnswer | null>;
  /** A request has failed and is sent again after `waitMs`; for agents that cannot say so with an event at that moment. */
  announceRetry(code: string, waitMs: number): void;
  /** Goes on in a session of its own that is linked to this one; what it says is told to the agent at the end. */
  openWork(work: BackgroundWork): Promise<BackgroundSession>;
}

/** What the person keeps and has open, as far as the tools of the agent show it. As it was when the turn began. */
export interface Surroundings {
  /** The person's messages may begin with a line about what they are looking at. */
  readonly messageContext: boolean;
  /** Lists, notes and views, most recently changed first. */
  readonly artifacts: readonly { readonly type: string; readonly name: string; readonly id: string }[];
  /** There are more than these. */
  readonly hasMoreArtifacts: boolean;
  readonly panels: readonly OpenPanel[];
  /** The files and notes that the agent can search, by name. */
  readonly knowledge: readonly string[];
}

export interface OpenPanel {
  readonly panelId: string;
  readonly item?: { readonly type: string; readonly name: string; readonly id: string };
}

export const NO_SURROUNDINGS: Surroundings = {
  messageContext: false,
  artifacts: [],
  hasMoreArtifacts: false,
  panels: [],
  knowledge: [],
};

/** What a turn may use, already scoped. */
export interface TurnTools {
  /** The same array for the same tools, so that what is made of it can be kept. */
  readonly offered: readonly OfferedTool[];
  readonly skills: readonly OfferedSkill[];
  /** The agents that this agent may message. */
  readonly agents: readonly OfferedAgent[];
  /** MCP servers that are still starting. Their tools are among those offered in a later step, once they are there. */
  readonly starting: readonly string[];
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
  /** Runs the delegations one after the other. Gives what was said meanwhile; null when the person stopped it. */
  follow(wanted: readonly DelegationRequest[]): Promise<readonly AttributedMessage[] | null>;
}

export interface DelegationRequest {
  readonly to: string;
  readonly task: string;
}

/** Takes the tags out of text that comes in pieces. */
export interface DelegationFilter {
  push(piece: string): string;
  end(): string;
  /** What was found since the last time. */
  take(): DelegationRequest[];
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
  /** A request failed and is sent again after `waitMs`; `code` says why it failed. */
  | { type: 'retry'; code: string; waitMs: number }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'rejected_tool'; callId: string; name: string; input: string; reason: string }
  /** A tool that the agent runs itself. `callId` is its own name for the call; the same one is reported once. */
  | { type: 'tool_started'; callId: string; name: string; input: string }
  | { type: 'tool_progress'; callId: string; text?: string; fraction?: number }
  | { type: 'tool_ended'; callId: string; output: string; isError: boolean }
  /** A file that the agent has made. */
  | { type: 'artifact'; name: string; mediaType: string; content: Uint8Array }
  /** What it intends to do. Shown while the turn runs, never stored; a new plan replaces the last one. */
  | { type: 'plan'; entries: readonly PlanEntry[] }
  /** What it is doing. Shown while the turn runs, never stored; null: nothing to say. */
  | { type: 'status'; text: string | null }
  /** Something the person has to know of this answer, such as that the agent has lost what it remembered. Stored with it. */
  | { type: 'notice'; text: Text }
  | { type: 'usage'; usage: Usage }
  /** What the agent needs to go on later; it means nothing to the server. Null: it has lost what it had. */
  | { type: 'state'; token: string | null }
  | AgentEnd;

export interface AgentEnd {
  readonly type: 'end';
  readonly reason: AgentEndReason;
  readonly stopReason: string;
  readonly error?: TurnError;
}

/** `interrupted`: what became of it is not known. */
export type AgentEndReason = 'complete' | 'failed' | 'cancelled' | 'interrupted';

/** What the rest of the server has to know of a kind of agent before it hands it a turn. */
export interface AgentTraits {
  /** It takes what the person adds while it works. */
  readonly steers: boolean;
  /** It remembers the conversation itself: it is sent only what it has not seen, and keeps a `state`. */
  readonly ownsContext: boolean;
  /** It runs tools of its own and reports them. */
  readonly ownsTools: boolean;
  /** What it works on outlives the server: a turn that was running goes on after a restart, from the agent's `state`. */
  readonly reattaches: boolean;
  /** How long its turns can take, where that is not `limits.turnMs`. */
  readonly turnMs?: number;
}

/** Why a turn is stopped when the server stops: what goes on elsewhere goes on, and is taken up again after the restart. */
export class ServerStopping extends Error {}

/** Anything that can answer. */
export interface Agent {
  readonly traits: AgentTraits;
  /**
   * Never throws: every failure is an `end` event. Exactly one `end`, and it is last. Once `signal` is aborted, the agent
   * ends soon and stops what it has started.
   */
  run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /** Writes the summary that stands for the beginning of a conversation. Absent where the agent only takes turns. */
  summarise?(earlier: string | null, messages: readonly AttributedMessage[], signal: AbortSignal): Promise<Summary>;
  /** One answer outside of any turn. Throws with a message for the person. Absent where the agent only takes turns. */
  complete?(request: CompletionRequest, signal: AbortSignal): Promise<string>;
  /** Of an agent that answers by calling back. */
  readonly callbacks?: Callbacks;
  /** What a remote agent says of itself, as its owner has to approve it. Throws with a message for the person. */
  readCard?(): Promise<{ card: unknown; hash: string }>;
}

/** How an agent elsewhere tells about a turn that it was given. */
export interface Callbacks {
  /** Whether the token is the one that was given out for this turn. */
  allow(turnId: string, token: string): boolean;
  /**
   * Resolves when the turn has taken it in, with how many characters of the answer have been taken. Throws `AppError` when
   * it does not.
   */
  receive(turnId: string, piece: ExternalCallback): Promise<number>;
}

export type Summary = { text: string; usages: readonly Usage[] } | { failure: TurnError };

export interface CompletionRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number;
  readonly temperature: number | null;
}

/** What an agent of any kind may use of the server. */
export interface AgentDeps {
  readonly attachments: Attachments;
  /** Remembers the programs that an agent starts, so that they end with the server, or at its next start. */
  readonly processes: ProcessRegistry;
  /** Programs and connections that go on between turns. */
  readonly pool: Pool;
  /** The data folder. */
  readonly home: string;
  /** The server's own variables. A program is given only those it needs (`cleanEnvironment`). */
  readonly environment: Environment;
  limits(): Limits;
  /** Hosts in a private network that may be reached (`tools.fetch.allowHosts`). */
  allowedHosts(): readonly string[];
  /** The origin at which others reach this server (`server.publicUrl`); undefined when that is not configured. */
  publicOrigin(): string | undefined;
}

/** One thing that a test of the connection has looked at. */
export interface Finding {
  readonly state: ConnectionCheck['state'];
  readonly text: Text;
}

/** The settings of one kind as a definition has them. */
export type WrittenSettings = Readonly<NonNullable<AgentPatch[AgentType]>>;

/** One kind of agent. Adding a kind is a folder beside this file and a line in `kinds.ts`. */
/** What is known of an agent without opening it. */
export interface AgentDescription {
  readonly provider: string;
  readonly model: string;
  /** What it is shown of attached files besides their names. */
  readonly attachments: readonly Attachable[];
  /** Whether messages can reach a turn that runs. Of a program, only that some of its kind can. */
  readonly steers: boolean;
}

export interface AgentKind<Settings = unknown> {
  readonly kind: string;
  /** The `type` of its definitions, and the field of a definition that holds its settings. */
  readonly type: AgentType;
  /** Where several kinds share a `type`: whether a definition with these settings is of this kind. */
  takes?(written: WrittenSettings): boolean;
  /** Fields of its settings that hold a secret. */
  readonly secrets: readonly string[];
  /** Where its secrets are sent to: a secret that was given for one host never goes to another. */
  hostOf(written: WrittenSettings): string;
  /** Defaults filled in, variables read; `problems` are what to set before the agent can answer. */
  resolve(written: WrittenSettings, env: Environment): { settings: Settings; problems: Text[] };
  describe(settings: Settings): AgentDescription;
  open(agent: ResolvedAgent<Settings>, deps: AgentDeps): Agent;
  /** The program that such an agent starts, and what its settings let it do; null when it starts none. */
  program?(written: WrittenSettings): StartedProgram | null;
  /**
   * Looks at what such an agent needs to answer; called when nothing is known to be missing, except the approval of a card.
   * Sends no input. `mayStart`: the command line of its program was confirmed.
   */
  test(agent: ResolvedAgent<Settings>, deps: AgentDeps, mayStart: boolean): Promise<Finding[]>;
  /** Settings without effect, for the person. */
  warnings?(agent: ResolvedAgent<Settings>): Promise<Text[]>;
}
