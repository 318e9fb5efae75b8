import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Ceiling } from '../tools/scope.ts';
import type { Standing, Toolset } from '../tools/toolset.ts';
import type { RunningTurn } from './running-turn.ts';
import { loadSessionRow } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/** What the agent of a turn may use as the turn begins. */
export async function scopeAtStart(deps: TurnDeps, running: RunningTurn, agent: ResolvedAgent): Promise<Toolset> {
  if (running.turn.parent_turn_id !== null)
    running.chain = [...(await deps.delegation.askersOf(deps, running.turn)), running.chain.at(-1)!];
  return deps.tooling.toolset(agent, await standingOf(deps, running, running.mode));
}

/**
 * What it may use by now: agents, tools and the session's mode may have changed since. Null when the agent is no longer
 * configured.
 */
export async function scopeNow(deps: TurnDeps, running: RunningTurn): Promise<Toolset | null> {
  const agent = deps.agents.find(running.turn.agent_id);
  if (!agent) return null;
  const session = await loadSessionRow(deps.log.db, running.turn.session_id);
  return deps.tooling.toolset(agent, await standingOf(deps, running, session?.mode ?? running.mode));
}

/** A turn is limited by the ceilings of the agents it works for, and by the mode of every session in its chain. */
async function standingOf(deps: TurnDeps, running: RunningTurn, ownMode: string): Promise<Standing> {
  const ceilings: Ceiling[] = [];
  const askers: ResolvedAgent[] = [];
  for (const { agentId, sessionId } of running.chain) {
    const isOwn = sessionId === running.turn.session_id;
    const mode = isOwn ? ownMode : (await loadSessionRow(deps.log.db, sessionId))?.mode;
    if (mode === 'read-only') ceilings.push({ kind: 'mode', mode, sessionId });
    const asker = agentId === running.turn.agent_id ? undefined : deps.agents.find(agentId);
    if (asker) askers.push(asker);
    if (asker?.delegation.ceiling === 'self')
      ceilings.push({ kind: 'agent', scope: asker, ownsTools: deps.agents.ownsTools(agentId) });
  }
  return { ceilings, askers };
}
