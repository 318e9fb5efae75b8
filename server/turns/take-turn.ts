import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { Part } from '../../contract/messages.ts';
import type { TurnError } from '../../contract/turns.ts';
import { storedClock } from '../events/clock.ts';
import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { saveAgentStates } from '../sessions/agent-state-store.ts';
import { haltSoon } from './cancel.ts';
import type { AfterTurn } from './coordinator.ts';
import { type Outcome, TURN_TIMEOUT } from './outcome.ts';
import { runTurn } from './run.ts';
import type { RunningTurn } from './running-turn.ts';
import { settleTurn, settleWithoutAnswer } from './settle.ts';
import { startNext } from './start.ts';
import { insertRequestsOfTurn } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

const ABORT_GRACE_MS = 3000;
const SETTLE_RETRY_MS = [100, 250, 500, 1000, 2000, 5000];
/** How often an ending is tried that fails for another reason than storage. */
const SETTLE_ATTEMPTS = 4;

const NOT_SETTLED: TurnError = {
  code: 'turn_not_settled',
  message: 'Parley could not store the end of this turn. See the server log.',
  retryable: true,
};

/** Runs a turn and stores how it ended. Null when it goes on after the server's next start. */
export async function takeTurn(deps: TurnDeps, running: RunningTurn): Promise<AfterTurn | null> {
  const limit = limitTime(deps, running);
  const outcome = await Promise.race([runTurn(deps, running), afterGrace(running)]);
  limit.end();
  deps.tokens.revoke(running);
  if (!running.isSuspended) running.over.end();
  if (running.defect) deps.report('a turn failed with an internal error', running.defect);
  if (running.isSuspended) return null;
  const after = await settle(deps, running, outcome);
  reach('settle.committed');
  return after;
}

/** How many times a turn that runs is looked at. */
const LOOKS = 100;
const LONGEST_LOOK_MS = 10_000;

/** Time spent waiting for a person or for another turn does not count. */
function limitTime(deps: TurnDeps, running: RunningTurn): { end(): void } {
  let leftMs = deps.agents.turnMs(running.turn.agent_id);
  const everyMs = Math.min(Math.ceil(leftMs / LOOKS), LONGEST_LOOK_MS);
  const timer = setInterval(() => {
    if (!running.works) return;
    leftMs -= everyMs;
    if (leftMs > 0) return;
    clearInterval(timer);
    haltSoon(deps, running, TURN_TIMEOUT, 'waited-for');
  }, everyMs);
  return { end: () => clearInterval(timer) };
}

/** An agent that does not end when told to is left behind. */
async function afterGrace(running: RunningTurn): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<void>();
  running.signal.addEventListener('abort', () => setTimeout(resolve, ABORT_GRACE_MS).unref(), { once: true });
  await promise;
  const { state, stopReason, error } = running.stop!;
  return running.outcome(state, stopReason, error);
}

/** Holds on until the ending is on disk: a full disk delays it, nothing loses it. */
async function settle(deps: TurnDeps, running: RunningTurn, outcome: Outcome): Promise<AfterTurn> {
  await deps.flusher.release(running);
  for (let attempt = 0; ; attempt++) {
    try {
      return await deps.log.write((tx) => settleIn(tx, deps, running, outcome));
    } catch (error) {
      deps.report('a turn could not be settled yet', error);
      if (deps.coordinator.isStopping && attempt > 2) return { next: null, queueLeft: false };
      if (attempt >= SETTLE_ATTEMPTS && !isStorageFailure(error)) return settlePlainly(deps, running);
      await pauseAfter(attempt);
    }
  }
}

async function settleIn(tx: Tx, deps: TurnDeps, running: RunningTurn, outcome: Outcome): Promise<AfterTurn> {
  const { requests, states } = running.peekUnflushed();
  const session = await settleTurn(tx, deps, { ...running.turn }, running.said(outcome, tx.now), outcome);
  if (session) await insertRequestsOfTurn(tx.db, requests);
  if (session) await saveAgentStates(tx.db, states);
  reach('settle.before-commit');
  const mayContinue = session && session.queued_count > 0 && deps.coordinator.mayContinue(session.id);
  const next = mayContinue ? await startNext(tx, session) : null;
  return { next, queueLeft: !next && (session?.queued_count ?? 0) > 0 };
}

/** An error that is no storage failure will not pass: the turn ends as failed, with its words if they can be written. */
async function settlePlainly(deps: TurnDeps, running: RunningTurn): Promise<AfterTurn> {
  const turn = { ...running.turn };
  const outcome = running.outcome('failed', 'error', NOT_SETTLED);
  const parts = running.said(outcome, storedClock.now()).parts.filter(isText);
  const said = { parts, isFlushed: true, hasCalls: false };
  const withWords = () => deps.log.write((tx) => settleTurn(tx, deps, turn, said, outcome));
  const withoutWords = () => deps.log.write((tx) => settleWithoutAnswer(tx, running.turn, outcome));
  const session = await withWords()
    .catch(() => untilStored(withoutWords))
    .catch((error) => {
      deps.report('a turn could not be settled at all', error);
      return null;
    });
  return { next: null, queueLeft: (session?.queued_count ?? 0) > 0 };
}

function isText(part: Part): boolean {
  return part.type === 'text';
}

/** Repeats a write while the storage cannot take it. */
async function untilStored<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageFailure(error) || attempt >= SETTLE_ATTEMPTS) throw error;
      await pauseAfter(attempt);
    }
  }
}

function pauseAfter(attempt: number): Promise<void> {
  return pause(SETTLE_RETRY_MS[Math.min(attempt, SETTLE_RETRY_MS.length - 1)]!);
}

function isStorageFailure(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith('storage_');
}
