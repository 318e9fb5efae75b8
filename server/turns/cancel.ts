import { setTimeout as pause } from 'node:timers/promises';
import { loadSession } from '../sessions/store.ts';
import type { TurnRow } from '../storage/tables.ts';
import { agentRemoved, CANCELLED, type Outcome, PARENT_STOPPED, QUEUE_CANCELLED, type Stop } from './outcome.ts';
import type { RunningTurn } from './running-turn.ts';
import { settleQueue, settleQueued } from './settle.ts';
import { countQueued, findTurn, loadTurn, selectChildTurns, selectOpenDelegatesOf } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/** The turns that work for a stopped one: all of them, or only those it waits for. */
export type Reach = 'everything' | 'waited-for';

const HALT_WAIT_MS = 10_000;

/** Stops one turn, wherever it is, and everything done on its behalf. Returns what there was to stop. */
export async function cancelTurn(deps: TurnDeps, owner: string, turnId: string): Promise<string[]> {
  const turn = await loadTurn(deps.log.db, owner, turnId);
  return (await stopOpen(deps, owner, turn, CANCELLED)) ?? stopWorkFor(deps, owner, turn.id, 'everything');
}

/** Stops a turn that runs or waits; null when it does neither. It may start while its cancellation waits to be written. */
async function stopOpen(deps: TurnDeps, owner: string, turn: TurnRow, stop: Stop): Promise<string[] | null> {
  const halted = await haltStarted(deps, turn, stop);
  if (halted) return halted;
  return (await cancelQueued(deps, owner, turn, { ...stop, usage: null })) ? [turn.id] : haltStarted(deps, turn, stop);
}

/** Null when the turn does not run. A start that is being written counts. */
async function haltStarted(deps: TurnDeps, turn: TurnRow, stop: Stop): Promise<string[] | null> {
  await deps.coordinator.whenStarted(turn.session_id);
  const running = deps.coordinator.running(turn.id);
  return running ? haltTree(deps, running, stop, 'everything') : null;
}

async function cancelQueued(deps: TurnDeps, owner: string, turn: TurnRow, outcome: Outcome): Promise<boolean> {
  const cancelled = await deps.log.write(async (tx) => {
    const session = await loadSession(tx.db, owner, turn.session_id);
    const current = await findTurn(tx.db, turn.id);
    return current?.state === 'queued' && (await settleQueued(tx, deps, session, current, outcome));
  });
  if (cancelled) deps.coordinator.noteQueued(-1);
  return cancelled;
}

/** Stops everything in a session. The running turn ends first, so that its words precede the unanswered messages. */
export async function cancelSession(deps: TurnDeps, owner: string, sessionId: string): Promise<string[]> {
  await loadSession(deps.log.db, owner, sessionId);
  deps.compactor.stop(sessionId);
  const release = await deps.coordinator.hold(sessionId);
  try {
    const stopped = await haltSession(deps, sessionId);
    for (const turn of await selectOpenDelegatesOf(deps.log.db, sessionId))
      stopped.push(...(await stopDelegate(deps, owner, turn, 'everything')));
    const waiting = await deps.log.write((tx) => settleQueue(tx, deps, owner, sessionId, QUEUE_CANCELLED));
    deps.coordinator.noteQueued(-waiting.length);
    return [...stopped, ...waiting];
  } finally {
    release();
  }
}

/** A turn that was ending when the session was held may have been followed by the next one. */
async function haltSession(deps: TurnDeps, sessionId: string): Promise<string[]> {
  const stopped: string[] = [];
  const halted = new Set<RunningTurn>();
  for (;;) {
    const running = deps.coordinator.all.find(
      (one) => one.turn.session_id === sessionId && !one.isNested && !halted.has(one),
    );
    if (!running) return stopped;
    halted.add(running);
    stopped.push(...(await haltTree(deps, running, CANCELLED, 'everything')));
  }
}

/** Stops what an agent is doing in any session, and everything done on its behalf. */
export async function cancelAgent(deps: TurnDeps, agentId: string): Promise<void> {
  const running = deps.coordinator.all.filter(({ turn }) => turn.agent_id === agentId);
  await Promise.all(running.map((turn) => haltTree(deps, turn, agentRemoved(agentId), 'everything')));
}

/** Turns of sessions that are cleared or deleted have no rows any more; turns that worked for them have no caller. */
export function abandon(deps: TurnDeps, sessionIds: readonly string[], turnIds: readonly string[] = []): void {
  for (const sessionId of sessionIds) deps.compactor.stop(sessionId);
  for (const running of deps.coordinator.all) {
    if (sessionIds.includes(running.turn.session_id)) haltSoon(deps, running, CANCELLED, 'everything');
    if (turnIds.includes(running.id)) haltSoon(deps, running, PARENT_STOPPED, 'everything');
  }
  recountQueued(deps).catch((error) => deps.report('queued turns could not be counted', error));
}

export async function recountQueued({ log, coordinator }: TurnDeps): Promise<void> {
  coordinator.recount(await countQueued(log.db));
}

/** Without waiting for it. What works for the turn may be on a disk that cannot be written now. */
export function haltSoon(deps: TurnDeps, running: RunningTurn, stop: Stop, reach: Reach): void {
  haltTree(deps, running, stop, reach).catch((error) => deps.report('a turn could not be stopped whole', error));
}

/** Stops a turn and the turns that work for it. */
async function haltTree(deps: TurnDeps, running: RunningTurn, stop: Stop, reach: Reach): Promise<string[]> {
  running.halt(stop);
  const stopped = await stopWorkFor(deps, running.owner, running.id, reach);
  return [...(await whenHalted(deps, running, stop)), ...stopped];
}

async function stopWorkFor(deps: TurnDeps, owner: string, turnId: string, reach: Reach): Promise<string[]> {
  const stopped: string[] = [];
  for (const child of await selectChildTurns(deps.log.db, turnId)) {
    if (reach === 'waited-for' && child.mode !== 'sync') continue;
    stopped.push(...(await stopDelegate(deps, owner, child, reach)));
  }
  return stopped;
}

/** A delegate that is over may have left async delegates of its own at work. */
async function stopDelegate(deps: TurnDeps, owner: string, turn: TurnRow, reach: Reach): Promise<string[]> {
  if (turn.ended_at !== null) return stopWorkFor(deps, owner, turn.id, reach);
  return (await stopOpen(deps, owner, turn, PARENT_STOPPED)) ?? [];
}

/** A full disk can delay an ending; the request to stop does not wait for it. */
async function whenHalted({ log }: TurnDeps, running: RunningTurn, stop: Stop): Promise<string[]> {
  await Promise.race([running.done, pause(HALT_WAIT_MS, undefined, { ref: false })]);
  const settled = await findTurn(log.db, running.id);
  return settled?.state === stop.state ? [running.id] : [];
}
