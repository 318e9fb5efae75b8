import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { findAgentState } from '../sessions/agent-state-store.ts';
import { removeAllDetached } from '../sessions/detached.ts';
import type { Connection } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import type { TurnRow } from '../storage/tables.ts';
import { cutOutput, leaveOff } from './call-rows.ts';
import { selectCalls } from './call-store.ts';
import { cancelAgent, recountQueued } from './cancel.ts';
import { agentRemoved, PARENT_STOPPED, SHUTDOWN, type Stop } from './outcome.ts';
import { TurnOutput } from './output.ts';
import { RunningTurn } from './running-turn.ts';
import { settleTurn } from './settle.ts';
import { toStarted } from './start.ts';
import {
  deleteOrphanPartials,
  findMessage,
  loadSessionRow,
  selectPartials,
  selectRequests,
  selectSessionsWithQueue,
  selectUnownedTurns,
  selectWithCallers,
} from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

export interface Recovery {
  interrupted: number;
  queued: number;
  waiting: number;
}

/**
 * After a start nothing runs without an owner. Turns that were running become interrupted with what they had said and
 * done, or go on where their agent reattaches. Turns that waited for a person wait on, and queued turns run; a server that
 * will not stay leaves both as they are. Nothing is executed twice.
 */
export async function recover(deps: TurnDeps, resumeQueued: boolean): Promise<Recovery> {
  const { log, coordinator } = deps;
  const unowned = await selectUnownedTurns(log.db);
  const waitingForPerson = unowned.filter(({ state }) => state === 'waiting').map(({ id }) => id);
  const goingOn = JSON.stringify([...waitingForPerson, ...(await selectReattaching(deps, unowned))]);
  const held = new Set((await selectWithCallers(log.db, goingOn)).map(({ id }) => id));
  const waiting = unowned.filter((turn) => held.has(turn.id));
  const running = unowned.filter((turn) => !held.has(turn.id));
  for (const turn of running) await settleUnowned(deps, turn, SHUTDOWN);
  await log.write((tx) => deleteOrphanPartials(tx.db));
  await removeAllDetached(log);
  await recountQueued(deps);
  if (resumeQueued) for (const turn of waiting) await resume(deps, turn);
  const queued = resumeQueued ? await selectSessionsWithQueue(log.db) : [];
  for (const sessionId of queued) coordinator.wake(sessionId);
  return { interrupted: running.length, queued: queued.length, waiting: waiting.length };
}

/** What has waited in a session since the last server stopped goes on here, with all that works for it or that it works for. */
export async function resumeSession(deps: TurnDeps, sessionId: string): Promise<void> {
  const open = await selectUnownedTurns(deps.log.db);
  const waiting = open.filter(({ id }) => !deps.coordinator.running(id));
  const roots = new Set(waiting.filter(({ session_id }) => session_id === sessionId).map(rootOf));
  for (const turn of waiting) if (roots.has(rootOf(turn))) await resume(deps, turn);
}

function rootOf({ id, root_turn_id: root }: TurnRow): string {
  return root ?? id;
}

/** Turns whose agent has stored in that very turn what it needs to go on. Any other may or may not have been sent. */
async function selectReattaching({ log, agents }: TurnDeps, turns: readonly TurnRow[]): Promise<string[]> {
  const found: string[] = [];
  for (const { id, agent_id: agentId, session_id: sessionId } of turns) {
    const agent = agents.find(agentId);
    if (!agent || agent.unavailableReason !== null || !agents.open(agent).traits.reattaches) continue;
    if ((await findAgentState(log.db, sessionId, agentId))?.turn_id === id) found.push(id);
  }
  return found;
}

/**
 * Ends the turns of an agent that was deleted or replaced, with the approvals they wait for: the agent that has its name
 * now must not get what was asked for the old one. Turns that waited when the server stopped have no owner yet.
 */
export async function endTurnsOfAgent(deps: TurnDeps, agentId: string): Promise<void> {
  const open = await selectUnownedTurns(deps.log.db);
  await deps.coordinator.whenStarted();
  const unowned = open.filter(({ id }) => !deps.coordinator.running(id));
  await cancelAgent(deps, agentId);
  for (const turn of unowned.filter(({ agent_id }) => agent_id === agentId)) {
    for (const worker of workingFor(turn, unowned)) await settleUnowned(deps, worker, PARENT_STOPPED);
    await settleUnowned(deps, turn, agentRemoved(agentId));
  }
}

/** Innermost first. */
function workingFor(turn: TurnRow, turns: readonly TurnRow[]): TurnRow[] {
  const workers = turns.filter(({ parent_turn_id }) => parent_turn_id === turn.id);
  return workers.flatMap((worker) => [...workingFor(worker, turns), worker]);
}

function settleUnowned(deps: TurnDeps, turn: TurnRow, stop: Stop): Promise<unknown> {
  return deps.log.write(async (tx: Tx) => {
    const output = await restoreOutput(tx.db, turn, deps.limits().toolOutputBytes);
    const { calls } = output;
    for (const call of calls) if (call.ended_at === null) leaveOff(call, stop.state, tx.now);
    const said = { parts: output.toParts(), isFlushed: true, hasCalls: calls.length > 0 };
    await settleTurn(tx, deps, turn, said, { ...stop, usage: turn.usage && JSON.parse(turn.usage) });
    reach('recovery.before-commit');
  });
}

async function resume(deps: TurnDeps, turn: TurnRow): Promise<void> {
  const { db } = deps.log;
  const session = await loadSessionRow(db, turn.session_id);
  const message = await findMessage(db, turn.message_id);
  if (!session || !message) return;
  const running = new RunningTurn(toStarted(session, turn, toMessage(message)));
  // Old requests may have been pruned: the numbers go on after the newest.
  const steps = ((await selectRequests(db, turn.id)).at(-1)?.step ?? -1) + 1;
  running.restore(await restoreOutput(db, turn, deps.limits().toolOutputBytes), steps);
  deps.coordinator.take(running);
}

/** What was said and done since the last stored message. */
export async function restoreOutput(db: Connection, turn: TurnRow, outputLimit: number): Promise<TurnOutput> {
  const calls = await selectCalls(db, turn.id);
  const open = calls.filter((call) => call.message_id === null);
  for (const call of open) if (call.output !== null) call.output = cutOutput(call.id, call.output, outputLimit);
  return TurnOutput.restore(turn.answer_id, await selectPartials(db, turn.id), open);
}
