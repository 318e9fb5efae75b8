import type { AgentDefinition } from '../../contract/agents.ts';
import { SCRATCH } from '../../contract/scratch.ts';
import type { Session } from '../../contract/sessions.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Agents, AgentTrials } from '../agents/trials.ts';
import type { Bus } from '../events/bus.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { JudgeDeps } from './judge-agent.ts';
import { issuesIn, judgeTeam, refuseIssues } from './judge-team.ts';
import { withTrialIds } from './trial-ids.ts';

export interface TrialDeps extends JudgeDeps {
  readonly sessions: Sessions;
  readonly trials: AgentTrials;
  /** Ends the turns of an agent that is gone, and deletes what it was granted and remembers. */
  retire(agentId: string): Promise<void>;
  /** Tells open clients that there are other agents. */
  changed(): void;
  report(problem: string, error: unknown): void;
}

/**
 * Agents that do not exist work in a session of their own, so that they can be tried before they are created. They end
 * with the session, with the process, and when the configuration changes so that they could no longer be created.
 */
export class TeamTrials {
  readonly #deps: TrialDeps;
  /** By session, the oldest first. */
  readonly #open = new Map<string, Trial>();

  constructor(deps: TrialDeps) {
    this.#deps = deps;
    deps.configuration.onChange(() => this.#lookAgain());
  }

  /** Sessions are deleted in many ways. */
  follow(bus: Bus): void {
    bus.subscribe({
      event: ({ event: { type, sessionId } }) => {
        if (type === 'session.deleted') this.#end(sessionId);
      },
    });
  }

  /** Refused as the creation would be. */
  async begin(owner: string, wanted: readonly AgentDefinition[], confirmed: string | undefined): Promise<Session> {
    refuseIssues(issuesIn(await judgeTeam(this.#deps, wanted)));
    const definitions = withTrialIds(wanted);
    const agents = toMap(await this.#deps.configuration.previewAgents(definitions, confirmed));
    this.#deps.trials.begin(agents);
    const [agentId] = [...agents.keys()];
    const team = { name: wanted[0]!.displayName ?? wanted[0]!.agentId, agents: [...agents.keys()] };
    const session = await this.#deps.sessions.create(owner, { agentId: agentId!, team, attributes: SCRATCH });
    this.#open.set(session.id, { definitions, confirmed, agents });
    this.#endOldest();
    this.#deps.changed();
    return session;
  }

  #endOldest(): void {
    const [oldest] = this.#open.keys();
    const limit = this.#deps.configuration.current.limits.teamTrials;
    if (oldest !== undefined && this.#open.size > limit) this.#end(oldest);
  }

  /** What was allowed to be tried may not be allowed any more, such as a model that no agent uses now. */
  #lookAgain(): void {
    for (const [sessionId, { definitions, confirmed }] of this.#open)
      this.#deps.configuration.previewAgents(definitions, confirmed).catch(() => this.#end(sessionId));
  }

  #end(sessionId: string): void {
    const trial = this.#open.get(sessionId);
    if (!trial) return;
    this.#open.delete(sessionId);
    this.#deps.trials.end(trial.agents);
    for (const agentId of trial.agents.keys())
      this.#deps.retire(agentId).catch((error) => this.#deps.report('a trial could not be cleaned up', error));
    this.#deps.changed();
  }
}

interface Trial {
  readonly definitions: readonly AgentDefinition[];
  readonly confirmed: string | undefined;
  readonly agents: Agents;
}

function toMap(agents: readonly ResolvedAgent[]): Agents {
  return new Map(agents.map((agent) => [agent.agentId, agent]));
}
