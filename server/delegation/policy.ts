import { say, type Text, type TextRef, toTextRef } from '../../contract/texts.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Tx } from '../events/log.ts';
import type { Connection } from '../sessions/store.ts';
import { ToolFailure } from '../tools/tool.ts';
import { allowedNow, askToGoOn } from '../turns/limits.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import type { TurnDeps } from '../turns/turn-deps.ts';
import { countOpenChildren, countTurnsOfRoot } from './store.ts';

/** The agent that a turn may delegate to, for tools and tags alike. Throws when it may not. */
export function requireTarget(deps: TurnDeps, running: RunningTurn, agentId: string): ResolvedAgent {
  if (agentId === running.turn.agent_id) throw new DelegationRefused('delegation_self', say('delegation.self'));
  const target = deps.agents.seenBy(running.turn.agent_id).get(agentId);
  if (!target) throw new DelegationRefused('agent_not_found', notFound(running, agentId));
  const decision = running.toolset?.scoped.decideAgent(agentId, target.uiVisible);
  if (!decision) throw new DelegationRefused('agent_not_allowed', say('delegation.notAllowed', { id: agentId }));
  if (!decision.allowed) throw new DelegationRefused('agent_not_allowed', decision.reason, decision.reasonText);
  assertNoCycle(deps, running, agentId);
  if (target.unavailableReason) {
    const { unavailableReason, unavailableText } = target;
    throw new DelegationRefused('agent_unavailable', unavailableReason, unavailableText ?? undefined);
  }
  return target;
}

function notFound({ toolset }: RunningTurn, id: string): Text {
  const names = toolset?.agents.map((agent) => agent.agentId) ?? [];
  if (names.length === 0) return say('agent_not_found', { id });
  return say('delegation.notFound', { id, names: names.slice(0, 20).join(', ') });
}

/** An agent in the chain already waits for the answer: asking it again would be a cycle. */
function assertNoCycle(deps: TurnDeps, { chain }: RunningTurn, agentId: string): void {
  if (deps.delegationLimits().allowCycles || !chain.some((link) => link.agentId === agentId)) return;
  const way = [...chain.map((link) => link.agentId), agentId].join(' → ');
  throw new DelegationRefused('delegation_cycle', say('delegation.cycle', { id: agentId, chain: way }));
}

/** What was counted before a transaction is no longer true inside it. */
class NoRoom extends Error {}

/**
 * Has a delegate begin once the limits allow it. Past a limit the person decides; the turn waits meanwhile. Several may
 * ask at the same moment, so `begin` counts again, with `assertRoom`, in the transaction that makes one more of them.
 */
export async function onceThereIsRoom<T>(deps: TurnDeps, running: RunningTurn, begin: () => Promise<T>): Promise<T> {
  for (;;) {
    for (const { name, allowed, wanted } of await countWithOneMore(deps, running, deps.log.db)) {
      if (!(await askToGoOn(deps, running, name, allowed, wanted)))
        throw new DelegationRefused('delegation_stopped', say('delegation.stopped'));
    }
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
    }
  }
}

export async function assertRoom(deps: TurnDeps, running: RunningTurn, { db }: Tx): Promise<void> {
  for (const { name, allowed, wanted } of await countWithOneMore(deps, running, db)) {
    if (wanted > (await allowedNow(db, running.rootTurnId, name, allowed))) throw new NoRoom(name);
  }
}

async function countWithOneMore(deps: TurnDeps, running: RunningTurn, db: Connection) {
  const { depth, fanOut, turnsPerRoot } = deps.delegationLimits();
  const [atOnce, ofRoot] = [await countOpenChildren(db, running.id), await countTurnsOfRoot(db, running.rootTurnId)];
  return [
    { name: 'depth', allowed: depth, wanted: running.chain.length },
    { name: 'fanOut', allowed: fanOut, wanted: atOnce + 1 },
    { name: 'turnsPerRoot', allowed: turnsPerRoot, wanted: ofRoot + 1 },
  ];
}

/** Why a delegation is refused. The codes are stable; the words may improve. */
export type DelegationCode =
  | 'agent_not_found'
  | 'agent_not_allowed'
  | 'agent_unavailable'
  | 'delegation_self'
  | 'delegation_cycle'
  | 'delegation_stopped'
  | 'session_not_found'
  | 'session_in_chain'
  | 'queue_full'
  | 'message_too_large'
  | 'no_turn';

export class DelegationRefused extends ToolFailure {
  declare readonly code: DelegationCode;
  /** For a translation of the message. */
  readonly text: TextRef | undefined;

  constructor(code: DelegationCode, why: string | Text, text?: TextRef) {
    super(typeof why === 'string' ? why : why.message, code);
    this.name = 'DelegationRefused';
    this.text = typeof why === 'string' ? text : toTextRef(why);
  }
}
