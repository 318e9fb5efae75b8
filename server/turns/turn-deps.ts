import type { ChainLink } from '../../contract/actions.ts';
import type { DelegationLimits, Limits } from '../../contract/config.ts';
import type { Usage } from '../../contract/turns.ts';
import type { Agent, Surroundings, TurnDelegates } from '../agents/agent.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { ToolEndpoint } from '../agents/host-requests.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { Files } from '../files/files.ts';
import type { Histories } from '../sessions/transcript.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import type { BackgroundSession, BackgroundWork } from '../tools/tool.ts';
import type { Tooling } from '../tools/tooling.ts';
import type { Toolset } from '../tools/toolset.ts';
import type { WorkspaceChanges } from '../workspaces/changes.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { Actions } from './actions.ts';
import type { Compactor } from './compaction.ts';
import type { Coordinator } from './coordinator.ts';
import type { Flusher } from './flusher.ts';
import type { RunningTurn } from './running-turn.ts';
import type { TurnTokens } from './turn-tokens.ts';

/** What decides which of a person's things an agent is told about. */
export interface SurroundedTurn {
  readonly owner: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly tools: Pick<Toolset, 'offered' | 'skills' | 'denies'>;
}

/** What turns use of the rest of the server. */
export interface ServerDeps {
  readonly log: EventLog;
  readonly histories: Histories;
  readonly agents: AgentDirectory;
  readonly actions: Actions;
  readonly files: Files;
  readonly tooling: Tooling;
  readonly workspaces: Workspaces;
  readonly changes: WorkspaceChanges;
  readonly delegation: Delegates;
  limits(): Limits;
  delegationLimits(): DelegationLimits;
  /** Of the configured prices. */
  currency(): string;
  /** What a request cost, as far as prices are known. */
  priced(agent: ResolvedAgent, usage: Usage): Usage;
  /** Where a program that shows this token finds the tools of its turn. */
  toolEndpoint(token: string): ToolEndpoint;
  /** What the person keeps and has open beside a session, as far as tools that are offered show it. */
  surroundings(turn: SurroundedTurn): Promise<Surroundings>;
  report(problem: string, error: unknown): void;
}

/** Everything that taking a turn depends on. Built once, in `turns.ts`. */
export interface TurnDeps extends ServerDeps {
  readonly coordinator: Coordinator;
  readonly flusher: Flusher;
  readonly compactor: Compactor;
  readonly tokens: TurnTokens;
}

/** Work that agents give each other, as far as turns have to know about it. */
export interface Delegates {
  /** The agents that a message begins with, as `@names`; empty when it is for the primary alone. */
  addressed(deps: TurnDeps, session: SessionRow, content: string): readonly string[];
  /** The turns on whose behalf a turn is taken, the one that the person began first. */
  askersOf(deps: TurnDeps, turn: TurnRow): Promise<readonly ChainLink[]>;
  /** Tells the caller of a delegate's turn that it ended. The caller of this function saves the session. */
  ended(deps: TurnDeps, tx: Tx, session: SessionRow, turn: TurnRow): Promise<void>;
  /** Null when `<delegate>` tags of this agent are plain text. */
  tagsOf(deps: TurnDeps, running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null;
  /** Work that goes on in a session of its own. */
  begin(deps: TurnDeps, running: RunningTurn, callId: string | null, work: BackgroundWork): Promise<BackgroundSession>;
  /** What takes a turn that such work was begun with, instead of its agent. */
  workerFor(running: RunningTurn): Agent | undefined;
}
