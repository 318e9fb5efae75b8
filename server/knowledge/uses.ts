import type { Db } from '../storage/tables.ts';
import { selectAllUses } from './source-store.ts';

interface Use {
  readonly sourceId: string;
  readonly owner: string;
  readonly children: boolean;
}

type Agents = ReadonlyMap<string, { readonly parentAgentId?: string | null }>;

const MOST_DEPTH = 64;

/** Which agents have which sources. Kept in memory, because what tools an agent is offered depends on it. */
export class KnowledgeUses {
  readonly #db: Db;
  readonly #agents: () => Agents;
  #byAgent: ReadonlyMap<string, readonly Use[]> = new Map();
  #known: { agents: Agents; byAgent: unknown; having: readonly string[] } | undefined;

  constructor(db: Db, agents: () => Agents) {
    this.#db = db;
    this.#agents = agents;
  }

  /** Says whether another set of agents has knowledge than before. */
  async load(): Promise<boolean> {
    const before = this.agents();
    const rows = await selectAllUses(this.#db);
    this.#byAgent = Map.groupBy(
      rows.map((row) => ({
        agentId: row.agent_id,
        owner: row.owner,
        sourceId: row.source_id,
        children: row.children === 1,
      })),
      ({ agentId }) => agentId,
    );
    return before.join() !== this.agents().join();
  }

  /** The agents that have any. */
  agents(): readonly string[] {
    const agents = this.#agents();
    if (this.#known?.agents === agents && this.#known.byAgent === this.#byAgent) return this.#known.having;
    const having = this.#byAgent.size === 0 ? [] : [...agents.keys()].filter((id) => this.#usesOf(id).length > 0);
    this.#known = { agents, byAgent: this.#byAgent, having };
    return having;
  }

  /** The sources of an owner that an agent can search: its own, and those that an agent above it shares. */
  sourcesOf(owner: string, agentId: string): ReadonlySet<string> {
    return new Set(this.#usesOf(agentId).flatMap((use) => (use.owner === owner ? [use.sourceId] : [])));
  }

  #usesOf(agentId: string): Use[] {
    const own = this.#byAgent.get(agentId) ?? [];
    return [
      ...own,
      ...this.#above(agentId).flatMap((id) => (this.#byAgent.get(id) ?? []).filter((use) => use.children)),
    ];
  }

  #above(agentId: string): string[] {
    const agents = this.#agents();
    const above: string[] = [];
    for (let id = agents.get(agentId)?.parentAgentId; id; id = agents.get(id)?.parentAgentId) {
      if (above.includes(id) || above.length >= MOST_DEPTH) break;
      above.push(id);
    }
    return above;
  }
}
