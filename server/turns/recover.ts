import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { findAgentState } from '../sessions/agent-state-store.ts';
import { removeAllDetached } from '../sessions/detached.ts';
import type { Connection } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import type { TurnRow } from '../storage/tables.ts';
import { selectCalls } from './call-store.ts';
import { cutOutput } from './call-views.ts';
import type { TurnEngine } from './engine.ts';
import { leaveOff } from './left-open.ts';
import { TurnOutput } from './output.ts';
import type { Stop } from './running-turn.ts';
import { type EndOfTurn, settleTurn } from './settle.ts';
import { toStarted } from './start.ts';
import { agentRemoved, PARENT_STOPPED, SHUTDOWN } from './stops.ts';
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
export async function recover(
  engine: TurnEngine,
  endOfTurn: EndOfTurn,
  outputLimit: number,
  resumeQueued: boolean,
): Promise<Recovery> {
  const unowned = await selectUnownedTurns(engine.log.db);
  const waitingForPerson = unowned.filter(({ state }) => state === 'waiting').map(({ id }) => id);
  const goingOn = JSON.stringify([...waitingForPerson, ...(await selectReattaching(engine, unowned))]);
  const held = new Set((await selectWithCallers(engine.log.db, goingOn)).map(({ id }) => id));
  const waiting = unowned.filter((turn) => held.has(turn.id));
  const running = unowned.filter((turn) => !held.has(turn.id));
  for (const turn of running) await settleUnowned(engine.log, endOfTurn, turn, SHUTDOWN, outputLimit);
  await engine.log.write((tx) => deleteOrphanPartials(tx.db));
  await removeAllDetached(engine.log);
  await engine.recount();
  if (resumeQueued) for (const turn of waiting) await resume(engine, turn, outputLimit);
  const queued = resumeQueued ? await selectSessionsWithQueue(engine.log.db) : [];
  for (const sessionId of queued) engine.wake(sessionId);
  return { interrupted: running.length, queued: queued.length, waiting: waiting.length };
}

/** Turns whose agent has stored in that very turn what it needs to go on. Any other may or may not have been sent. */
async function selectReattaching({ log, agents }: TurnEngine, turns: readonly TurnRow[]): Promise<string[]> {
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
export async function endTurnsOfAgent(
  engine: TurnEngine,
  endOfTurn: EndOfTurn,
  agentId: string,
  outputLimit: number,
): Promise<void> {
  const open = await selectUnownedTurns(engine.log.db);
  // A turn whose start has just been committed is taken up before the event loop turns.
  await pause(0);
  const unowned = open.filter(({ id }) => !engine.running(id));
  await engine.cancelAgent(agentId);
  for (const turn of unowned.filter(({ agent_id }) => agent_id === agentId)) {
    for (const worker of workingFor(turn, unowned))
      await settleUnowned(engine.log, endOfTurn, worker, PARENT_STOPPED, outputLimit);
    await settleUnowned(engine.log, endOfTurn, turn, agentRemoved(agentId), outputLimit);
  }
}

/** Innermost first. */
function workingFor(turn: TurnRow, turns: readonly TurnRow[]): TurnRow[] {
  const workers = turns.filter(({ parent_turn_id }) => parent_turn_id === turn.id);
  return workers.flatMap((worker) => [...workingFor(worker, turns), worker]);
}

function settleUnowned(
  log: EventLog,
  endOfTurn: EndOfTurn,
  turn: TurnRow,
  stop: Stop,
  outputLimit: number,
): Promise<unknown> {
  return log.write(async (tx: Tx) => {
    const output = await restoreOutput(tx.db, turn, outputLimit);
    const { calls } = output;
    for (const call of calls) if (call.ended_at === null) leaveOff(call, stop.state, tx.now);
    const said = { parts: output.toParts(), isFlushed: true, hasCalls: calls.length > 0 };
    await settleTurn(tx, endOfTurn, turn, said, { ...stop, usage: turn.usage && JSON.parse(turn.usage) });
    reach('recovery.before-commit');
  });
}

async function resume(engine: TurnEngine, turn: TurnRow, outputLimit: number): Promise<void> {
  const { db } = engine.log;
  const session = await loadSessionRow(db, turn.session_id);
  const message = await findMessage(db, turn.message_id);
  if (!session || !message) return;
  // Old requests may have been pruned: the numbers go on after the newest.
  const steps = ((await selectRequests(db, turn.id)).at(-1)?.step ?? -1) + 1;
  engine.resume(toStarted(session, turn, toMessage(message)), await restoreOutput(db, turn, outputLimit), steps);
}

/** What was said and done since the last stored message. */
export async function restoreOutput(db: Connection, turn: TurnRow, outputLimit: number): Promise<TurnOutput> {
  const calls = await selectCalls(db, turn.id);
  const open = calls.filter((call) => call.message_id === null);
  for (const call of open) if (call.output !== null) call.output = cutOutput(call.id, call.output, outputLimit);
  return TurnOutput.restore(turn.answer_id, await selectPartials(db, turn.id), open);
}
