import type { ResolvedAgent } from './resolved-agent.ts';

export type Agents = ReadonlyMap<string, ResolvedAgent>;

/**
 * Agents that are being tried: in no file and in no list, and gone when the process ends. Only those of the same trial
 * see each other.
 */
export class AgentTrials {
  readonly #trialOf = new Map<string, Agents>();
  readonly #seen = new WeakMap<Agents, { all: Agents; merged: Agents }>();

  begin(agents: Agents): void {
    for (const agentId of agents.keys()) this.#trialOf.set(agentId, agents);
  }

  end(agents: Agents): void {
    for (const agentId of agents.keys()) this.#trialOf.delete(agentId);
  }

  find(agentId: string): ResolvedAgent | undefined {
    return this.#trialOf.get(agentId)?.get(agentId);
  }

  /** All configured agents, and for one that is being tried those of its trial. The same object as long as both stay. */
  seenBy(agentId: string | null, all: Agents): Agents {
    const trial = agentId === null ? undefined : this.#trialOf.get(agentId);
    if (!trial) return all;
    const known = this.#seen.get(trial);
    if (known?.all === all) return known.merged;
    const merged = new Map([...all, ...trial]);
    this.#seen.set(trial, { all, merged });
    return merged;
  }

  /** Every agent that is being tried now. */
  list(): ResolvedAgent[] {
    return [...this.#trialOf.keys()].map((agentId) => this.find(agentId)!);
  }
}
