import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { askToGoOn } from '../turns/limits.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { DelegationRefused } from './errors.ts';
import type { DelegationHouse } from './house.ts';
import { countOpenChildren, countTurnsOfRoot } from './store.ts';

/** Whom a turn may give work to, whichever way it asks. */
export function requireTarget(house: DelegationHouse, running: RunningTurn, agentId: string): ResolvedAgent {
  if (agentId === running.turn.agent_id)
    throw new DelegationRefused('delegation_self', 'An agent cannot give work to itself.');
  const target = house.agents.find(agentId);
  if (!target) throw new DelegationRefused('agent_not_found', `There is no agent ${agentId}.${suggest(running)}`);
  const decision = running.toolset?.scoped.decideAgent(agentId, target.uiVisible);
  if (!decision?.allowed)
    throw new DelegationRefused('agent_not_allowed', decision?.reason ?? `${agentId} cannot be asked from here.`);
  assertNoCycle(house, running, agentId);
  if (target.unavailableReason) throw new DelegationRefused('agent_unavailable', target.unavailableReason);
  return target;
}

function suggest({ toolset }: RunningTurn): string {
  const names = toolset?.agents.map((agent) => agent.agentId) ?? [];
  return names.length > 0 ? ` There are: ${names.slice(0, 20).join(', ')}.` : '';
}

/** Somebody in the chain waits for the answer already: asking them again would go round in a circle. */
function assertNoCycle(house: DelegationHouse, { chain }: RunningTurn, agentId: string): void {
  if (house.limits().allowCycles || !chain.some((link) => link.agentId === agentId)) return;
  const way = [...chain.map((link) => link.agentId), agentId].join(' → ');
  throw new DelegationRefused('delegation_cycle', `${agentId} already waits for this answer (${way}).`);
}

/** Past a limit the person decides; the turn waits meanwhile. */
export async function requireRoom(house: DelegationHouse, running: RunningTurn): Promise<void> {
  const { depth, fanOut, turnsPerRoot } = house.limits();
  const { db } = house.log;
  const ask = (name: string, allowed: number, wanted: number) => askToGoOn(house, running, name, allowed, wanted);
  const mayGoOn =
    (await ask('depth', depth, running.chain.length)) &&
    (await ask('fanOut', fanOut, (await countOpenChildren(db, running.id)) + 1)) &&
    (await ask('turnsPerRoot', turnsPerRoot, (await countTurnsOfRoot(db, running.rootTurnId)) + 1));
  if (!mayGoOn) throw new DelegationRefused('delegation_stopped', 'The person stopped it at a limit.');
}
