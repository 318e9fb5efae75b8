import type { ConnectionTest } from '../../contract/agents.ts';
import { type Limits, publicOrigin, type ServerSettings, type ToolSettings } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Environment } from '../config/environment.ts';
import type { ProcessRegistry } from '../processes/registry.ts';
import type { Agent, AgentDeps, FileContents } from './agent.ts';
import { Attachments } from './attachments.ts';
import { kindNamed } from './kinds.ts';
import { Pool } from './pool.ts';
import type { ResolvedAgent } from './resolved-agent.ts';
import { testConnection } from './test-connection.ts';
import { type Agents, AgentTrials } from './trials.ts';

/** The configuration in force at the moment of asking. */
export interface AgentSource {
  readonly agents: ReadonlyMap<string, ResolvedAgent>;
  readonly limits: Limits;
  readonly tools: Pick<ToolSettings, 'fetch'>;
  readonly server: Pick<ServerSettings, 'publicUrl'>;
}

/** What opened agents may use of the server. */
export interface DirectoryDeps {
  readonly files: FileContents;
  readonly processes: ProcessRegistry;
  readonly environment: Environment;
  /** The data folder. */
  readonly home: string;
}

/** Finds agents by name and opens them. A change of configuration makes new agents, so nothing here goes stale. */
export class AgentDirectory {
  readonly #source: () => AgentSource;
  readonly #processes: ProcessRegistry;
  readonly #environment: Environment;
  readonly #home: string;
  readonly #pool: Pool;
  readonly #opened = new WeakMap<ResolvedAgent, Agent>();
  readonly trials = new AgentTrials();
  /** What is in the files that people attach. */
  readonly attachments: Attachments;

  constructor(source: () => AgentSource, { files, processes, environment, home }: DirectoryDeps) {
    this.#source = source;
    this.#processes = processes;
    this.#environment = environment;
    this.#home = home;
    this.#pool = new Pool(() => ({ most: source().limits.idlePrograms, idleMs: source().limits.idleProgramMs }));
    this.attachments = new Attachments(files);
  }

  /** Those that are configured, by id. */
  get all(): Agents {
    return this.#source().agents;
  }

  /** Those that are there for an agent, or, given null or no agent that is being tried, for everyone. */
  seenBy(agentId: string | null): Agents {
    return this.trials.seenBy(agentId, this.all);
  }

  /** An agent that is configured or being tried. */
  find(agentId: string): ResolvedAgent | undefined {
    return this.all.get(agentId) ?? this.trials.find(agentId);
  }

  /** Refuses a name that is not configured, before anything is written. */
  require(agentId: string): ResolvedAgent {
    const agent = this.find(agentId);
    if (agent) return agent;
    throw new AppError('agent_not_found', say('agent_not_found.list', { id: agentId }));
  }

  /** Whether an agent runs tools itself. */
  ownsTools(agentId: string): boolean {
    const agent = this.find(agentId);
    return agent !== undefined && agent.unavailableReason === null && this.open(agent).traits.ownsTools;
  }

  /** How long a turn of this agent can take. */
  turnMs(agentId: string): number {
    const agent = this.find(agentId);
    const own = agent && agent.unavailableReason === null ? this.open(agent).traits.turnMs : undefined;
    return own ?? this.#source().limits.turnMs;
  }

  /** The same object for the same definition, so that an agent can keep what it has opened. */
  open(agent: ResolvedAgent): Agent {
    const known = this.#opened.get(agent);
    if (known) return known;
    const opened = kindNamed(agent.kind).open(agent, this.#deps());
    this.#opened.set(agent, opened);
    return opened;
  }

  /** What an agent, saved or not, needs to answer, and what of it is missing. */
  test(agent: ResolvedAgent, mayStart: boolean): Promise<ConnectionTest> {
    return testConnection(agent, this.#deps(), mayStart);
  }

  #deps(): AgentDeps {
    return {
      attachments: this.attachments,
      processes: this.#processes,
      pool: this.#pool,
      environment: this.#environment,
      home: this.#home,
      limits: () => this.#source().limits,
      allowedHosts: () => this.#source().tools.fetch.allowHosts,
      publicOrigin: () => publicOrigin(this.#source().server),
    };
  }

  /** Ends what agents keep between turns. */
  close(): Promise<void> {
    return this.#pool.closeAll();
  }
}
