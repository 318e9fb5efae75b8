import type { DelegationList, TurnNode, TurnTree } from '../../contract/delegation.ts';
import type { ToolCallState } from '../../contract/tools.ts';
import type { Usage } from '../../contract/turns.ts';
import { UNNAMED_SESSION } from '../../contract/unnamed-session.ts';
import type { EventLog } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { workedMs } from '../turns/call-rows.ts';
import { loadTurn, toTurn } from '../turns/store.ts';
import { addUp } from '../turns/usage.ts';
import { toDelegation } from './deliver.ts';
import { selectCallsOf, selectGivenFrom, selectTree } from './store.ts';

/** Everything done on behalf of what the person asked, from any turn in it. */
export async function readTree(log: EventLog, owner: string, turnId: string): Promise<TurnTree> {
  const asked = await loadTurn(log.db, owner, turnId);
  const rows = await selectTree(log.db, asked.root_turn_id ?? asked.id);
  const nodes = new Map<string, TurnNode>();
  for (const row of rows) {
    const calls = await selectCallsOf(log.db, row.id);
    nodes.set(row.id, toNode(row, calls));
  }
  const root = nodes.get(asked.root_turn_id ?? asked.id) ?? nodes.get(asked.id)!;
  for (const node of nodes.values()) if (node !== root) parentOf(nodes, node, root).children.push(node);
  return { root: withTotals(root), asked: asked.id };
}

/** What was given to others from a session, as far as it still matters. */
export async function readDelegations(
  { db }: EventLog,
  owner: string,
  sessionId: string,
  limit: number,
): Promise<DelegationList> {
  await loadSession(db, owner, sessionId);
  const rows = await selectGivenFrom(db, sessionId, limit);
  return { delegations: rows.reverse().map((row) => toDelegation(row, row)) };
}

type TreeRow = Awaited<ReturnType<typeof selectTree>>[number];
type CallRow = Awaited<ReturnType<typeof selectCallsOf>>[number];

function toNode(row: TreeRow, calls: readonly CallRow[]): TurnNode {
  const turn = toTurn(row);
  return {
    turn,
    sessionTitle: row.session_title ?? UNNAMED_SESSION,
    via: row.via as TurnNode['via'],
    mode: row.mode as TurnNode['mode'],
    task: row.task ?? '',
    toolCalls: calls.map((call) => ({
      id: call.id,
      name: call.name,
      state: call.state as ToolCallState,
      durationMs: workedMs(call),
    })),
    usage: turn.usage,
    children: [],
  };
}

/** A turn that a late result woke belongs to what was begun, too. */
function parentOf(nodes: ReadonlyMap<string, TurnNode>, { turn }: TurnNode, root: TurnNode): TurnNode {
  return nodes.get(turn.parentTurnId ?? '') ?? root;
}

function withTotals(node: TurnNode): TurnNode {
  const children = node.children.map(withTotals);
  const usages = [node.usage, ...children.map((child) => child.usage)].filter(
    (usage): usage is Usage => usage !== null,
  );
  return { ...node, children, usage: usages.length > 0 ? usages.reduce(addUp) : null };
}
