import { setTimeout as pause } from 'node:timers/promises';
import type { TurnPartial } from '../../contract/events.ts';
import type { Compaction } from '../../contract/sessions.ts';
import type { Receipt } from '../../contract/turns.ts';
import type { PartialSource } from '../events/bus.ts';
import type { TurnRow } from '../storage/tables.ts';
import { acceptMessage } from './accept.ts';
import type { Acceptance } from './acceptance.ts';
import { cancelSession, cancelTurn } from './cancel.ts';
import { Compactor } from './compaction.ts';
import { Coordinator } from './coordinator.ts';
import { Flusher } from './flusher.ts';
import { SHUTDOWN } from './outcome.ts';
import type { RunningTurn } from './running-turn.ts';
import { startNextOf } from './start.ts';
import { takeTurn } from './take-turn.ts';
import type { ServerDeps, TurnDeps } from './turn-deps.ts';
import { TurnTokens } from './turn-tokens.ts';

const STOP_MS = 6000;

export interface WorkingTurn {
  turnId: string;
  agentId: string;
  /** Of a command in the background, which works under the name of the agent that started it. */
  title: string | null;
  /** Cancelling this turn stops the work without telling the caller, which would then start another turn. */
  cancelWith: string;
}

/**
 * Everything an agent does in answer to one input:
 *
 *     accept.ts -> coordinator.ts (queue, slots) -> run.ts (the agent speaks; tool-calls.ts) -> settle.ts (answer, state)
 *     cancel.ts stops it · recover.ts takes up what a stopped server left · retry.ts, queue.ts, steer.ts change it
 *
 * The only caller of agents and the only writer of answers.
 */
export class Turns implements PartialSource {
  readonly deps: TurnDeps;

  constructor(given: ServerDeps) {
    const { log, histories, agents, priced, report } = given;
    const coordinator = new Coordinator({
      mostAtOnce: () => given.limits().runningTurns,
      startNext: (sessionId) => startNextOf(log, sessionId),
      take: (running) => takeTurn(this.deps, running),
      report,
    });
    const flusher = new Flusher(log, (error) => report('partial output could not be stored', error));
    const compactor = new Compactor(log, histories, agents, priced, report);
    this.deps = { ...given, coordinator, flusher, compactor, tokens: new TurnTokens() };
  }

  get runningCount(): number {
    return this.deps.coordinator.all.length;
  }

  get queuedCount(): number {
    return this.deps.coordinator.queuedCount;
  }

  accept(wanted: Acceptance): Promise<Receipt> {
    return acceptMessage(this.deps, wanted);
  }

  /** Stops one turn and everything done on its behalf. Returns what there was to stop. */
  cancel(owner: string, turnId: string): Promise<string[]> {
    return cancelTurn(this.deps, owner, turnId);
  }

  /** Stops everything in a session. */
  cancelSession(owner: string, sessionId: string): Promise<string[]> {
    return cancelSession(this.deps, owner, sessionId);
  }

  /** What arrives meanwhile queues; it goes on afterwards, whether or not the summary could be made. */
  async compact(owner: string, sessionId: string, agentId?: string, keep?: number): Promise<Compaction> {
    const release = await this.deps.coordinator.hold(sessionId);
    try {
      return await this.deps.compactor.compact(owner, sessionId, agentId, keep);
    } finally {
      release();
    }
  }

  partials(owner: string, wanted: (sessionId: string) => boolean): TurnPartial[] {
    return this.#speaking(owner, wanted).map((running) => running.partial());
  }

  speaking(owner: string, wanted: (sessionId: string) => boolean): Set<string> {
    return new Set(this.#speaking(owner, wanted).map((running) => running.turn.session_id));
  }

  #speaking(owner: string, wanted: (sessionId: string) => boolean): RunningTurn[] {
    return this.deps.coordinator.all.filter(
      (running) => running.owner === owner && wanted(running.turn.session_id) && running.hasPartial,
    );
  }

  /** The turns that run now and wait for no person. */
  working(): WorkingTurn[] {
    const { all } = this.deps.coordinator;
    const running = new Map(all.map(({ turn }) => [turn.id, turn]));
    return all
      .filter(({ waitsFor }) => waitsFor.size === 0)
      .map(({ turn, sessionType }) => ({
        turnId: turn.id,
        agentId: turn.agent_id,
        title: sessionType === 'tool-execution' ? `a command of ${turn.agent_id}` : null,
        cancelWith: topmostOf(turn, running),
      }));
  }

  /**
   * Stores what was being said. Queued turns stay queued; turns that wait for a person, and turns whose agent reattaches,
   * go on when the server is back.
   */
  async stop(): Promise<void> {
    const { coordinator, flusher } = this.deps;
    coordinator.close();
    const { all } = coordinator;
    const outliving = outlivingTurns(all);
    for (const turn of all) {
      if (outliving.has(turn)) turn.suspend(SHUTDOWN);
      else turn.halt(SHUTDOWN);
    }
    await Promise.race([Promise.all(all.map((turn) => turn.done)), pause(STOP_MS)]);
    await flusher.flush();
  }
}

/** The caller from which a turn and every running turn above it are stopped. */
function topmostOf(turn: TurnRow, running: ReadonlyMap<string, TurnRow>): string {
  const parent = turn.parent_turn_id === null ? undefined : running.get(turn.parent_turn_id);
  return parent ? topmostOf(parent, running) : (turn.parent_turn_id ?? turn.id);
}

/** Turns that continue after a restart, and the turns that wait for one of them. */
function outlivingTurns(running: readonly RunningTurn[]): ReadonlySet<RunningTurn> {
  const outliving = running.filter((turn) => turn.waitsFor.size > 0 || turn.reattaches);
  const callers = new Set(outliving.flatMap(({ chain }) => chain.map(({ turnId }) => turnId)));
  return new Set([...outliving, ...running.filter((turn) => turn.idle > 0 && callers.has(turn.id))]);
}
