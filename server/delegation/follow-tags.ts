import { newId } from '../../contract/ids.ts';
import type { Part } from '../../contract/messages.ts';
import { say } from '../../contract/texts.ts';
import type { AttributedMessage, DelegationRequest, OfferedAgent, TurnDelegates } from '../agents/agent.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { insertMessage } from '../sessions/message-store.ts';
import { saveSession } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import { insertAudit } from '../storage/audit.ts';
import type { NewMessage, SessionRow, TurnRow } from '../storage/tables.ts';
import { askToGoOn } from '../turns/limits.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { emptyTurn, noteNewest, type StartedTurn, toStarted } from '../turns/start.ts';
import { storeWhatWasSaid } from '../turns/steer.ts';
import {
  deletePartials,
  findTurn,
  insertTurn,
  loadSessionRow,
  saveTurn,
  selectChildTurns,
  toTurn,
} from '../turns/store.ts';
import type { TurnDeps } from '../turns/turn-deps.ts';
import { storeWaiting } from '../turns/waiting.ts';
import { DelegateTagFilter } from './delegate-tags.ts';
import { toDelegation } from './deliver.ts';
import { assertRoom, DelegationRefused, onceThereIsRoom, requireTarget } from './policy.ts';
import { delegationRow } from './send.ts';
import { insertDelegation } from './store.ts';
import { watchTurn } from './watch-turn.ts';

/**
 * An orchestrator names delegates and tasks in `<delegate>` tags; the delegates answer in the same session, under their
 * own names.
 */
export class TagDelegates implements TurnDelegates {
  readonly agents: readonly OfferedAgent[];
  readonly #deps: TurnDeps;
  readonly #running: RunningTurn;
  readonly #agent: ResolvedAgent;
  #rounds = 0;

  constructor(deps: TurnDeps, running: RunningTurn, agent: ResolvedAgent, agents: readonly OfferedAgent[]) {
    this.#deps = deps;
    this.#running = running;
    this.#agent = agent;
    this.agents = agents;
  }

  filter(): DelegateTagFilter {
    return new DelegateTagFilter();
  }

  async follow(wanted: readonly DelegationRequest[]): Promise<readonly AttributedMessage[] | null> {
    const running = this.#running;
    const before = await this.#lastSeq();
    await this.#storeWords(wanted);
    await this.#waitForOpen();
    const rounds = this.#agent.delegation.rounds ?? this.#deps.delegationLimits().rounds;
    const mayGoOn = await askToGoOn(this.#deps, running, 'rounds', rounds, ++this.#rounds);
    for (const [index, request] of wanted.entries()) {
      if (mayGoOn) await this.#give(request, wanted.slice(index + 1));
      else await this.#drop(request, wanted.slice(index + 1));
    }
    await this.#notePending(null);
    const { messages } = await this.#deps.histories.of(running.turn.session_id);
    return mayGoOn ? messages.filter((message) => message.seq > before) : null;
  }

  async #lastSeq(): Promise<number> {
    const { messages } = await this.#deps.histories.of(this.#running.turn.session_id);
    return messages.at(-1)?.seq ?? 0;
  }

  /** What was said before comes first in the history, whatever happens next. */
  async #storeWords(wanted: readonly DelegationRequest[]): Promise<void> {
    const running = this.#running;
    const { log, flusher } = this.#deps;
    await flusher.release(running);
    await log.write(async (tx) => {
      const session = await this.#session(tx);
      await deletePartials(tx.db, running.id);
      await storeWhatWasSaid(tx, session, running);
      await saveTurn(tx.db, running.id, { pending: JSON.stringify(wanted) });
      await saveSession(tx.db, session);
    });
  }

  /** After a restart: waits for the delegates that were waiting for a person. */
  async #waitForOpen(): Promise<void> {
    for (const child of await selectChildTurns(this.#deps.log.db, this.#running.id)) {
      if (child.nested_in === this.#running.id && child.ended_at === null) await this.#watch(child);
    }
  }

  async #give(request: DelegationRequest, rest: readonly DelegationRequest[]): Promise<void> {
    if (this.#running.stop) return;
    const started = await this.#beginOrRefuse(request, rest);
    if (!started) return;
    reach('delegation.nested');
    // The delegating turn ends after its delegate, also when both are stopped.
    const [, watched] = await Promise.allSettled([
      this.#deps.coordinator.takeNested(started),
      this.#watch(started.turn),
    ]);
    if (watched.status === 'rejected') throw watched.reason;
  }

  async #beginOrRefuse(request: DelegationRequest, rest: readonly DelegationRequest[]): Promise<StartedTurn | null> {
    const [deps, running] = [this.#deps, this.#running];
    try {
      requireTarget(deps, running, request.to);
      return await onceThereIsRoom(deps, running, () => deps.log.write((tx) => this.#begin(tx, request, rest)));
    } catch (error) {
      if (!(error instanceof DelegationRefused)) throw error;
      await this.#refuse(request, rest, error);
      return null;
    }
  }

  /** The task, the delegate's turn and what says so, in one transaction. */
  async #begin(tx: Tx, request: DelegationRequest, rest: readonly DelegationRequest[]): Promise<StartedTurn> {
    const running = this.#running;
    const session = await this.#session(tx);
    await assertRoom(this.#deps, running, tx);
    const turn = this.#newTurn(tx, request);
    const delegation = delegationRow(tx, running, {
      turn_id: turn.id,
      session_id: session.id,
      call_id: null,
      to_agent: request.to,
      via: 'tag',
      mode: 'sync',
      notify: 'none',
      created_session: 0,
      task: request.task,
    });
    const part = this.#part(session, request, { turnId: turn.id, state: 'started' });
    const message = toMessage(await this.#place(tx, session, request, part, turn));
    await insertTurn(tx.db, turn);
    await insertDelegation(tx.db, delegation);
    await saveTurn(tx.db, running.id, { pending: JSON.stringify(rest) });
    tx.append(session, { type: 'delegation.started', delegation: toDelegation(delegation, turn) });
    tx.append(session, { type: 'turn.started', turn: toTurn(turn), status: 'working', message });
    await saveSession(tx.db, session);
    const detail = `${running.turn.agent_id} → ${request.to} (tag)`;
    await insertAudit(tx.db, { owner: session.owner, action: 'delegation', object: turn.id, detail, request_id: null });
    return toStarted(session, turn, message);
  }

  #newTurn(tx: Tx, { to }: DelegationRequest): TurnRow {
    const running = this.#running;
    return {
      ...emptyTurn(tx, running.turn.session_id, { agentId: to, guest: false }),
      message_id: newId(tx.now),
      state: 'running',
      started_at: tx.now,
      parent_turn_id: running.id,
      root_turn_id: running.rootTurnId,
      nested_in: running.id,
    };
  }

  /** The person let the turn end at its limit: what it still wanted to give away stays visible. */
  async #drop(request: DelegationRequest, rest: readonly DelegationRequest[]): Promise<void> {
    if (this.#running.stop) return;
    const refusal = new DelegationRefused('delegation_stopped', say('delegation.roundsStopped'));
    await this.#refuse(request, rest, refusal);
  }

  /** No turn starts; a message in the session shows the refusal and its reason. */
  async #refuse(
    request: DelegationRequest,
    rest: readonly DelegationRequest[],
    refusal: DelegationRefused,
  ): Promise<void> {
    await this.#deps.log.write(async (tx) => {
      const session = await this.#session(tx);
      const { message: reason, text: reasonText } = refusal;
      const part = this.#part(session, request, {
        turnId: null,
        state: 'refused',
        reason,
        ...(reasonText && { reasonText }),
      });
      const message = toMessage(await this.#place(tx, session, request, part, null));
      await saveTurn(tx.db, this.#running.id, { pending: JSON.stringify(rest) });
      tx.append(session, { type: 'message.created', message });
      await saveSession(tx.db, session);
    });
  }

  #part(
    session: SessionRow,
    { to, task }: DelegationRequest,
    more: Omit<DelegationPart, 'type' | 'from' | 'to' | 'task' | 'sessionId' | 'via'>,
  ) {
    const from = this.#running.turn.agent_id;
    return { type: 'delegation', from, to, task, sessionId: session.id, ...more } satisfies DelegationPart;
  }

  async #place(tx: Tx, session: SessionRow, request: DelegationRequest, part: DelegationPart, turn: TurnRow | null) {
    const text = part.reason ? `${request.task}\n\n[${part.reason}]` : request.task;
    const row: NewMessage = {
      id: turn?.message_id ?? newId(tx.now),
      session_id: session.id,
      seq: ++session.message_seq,
      parent_id: session.head_id,
      turn_id: turn?.id ?? this.#running.id,
      role: 'delegation',
      agent_id: request.to,
      guest: 0,
      status: 'complete',
      text,
      parts: JSON.stringify([part]),
      on_path: 1,
      compaction_id: null,
      request_hash: null,
      created_at: tx.now,
    };
    await insertMessage(tx.db, row);
    noteNewest(session, row);
    return row;
  }

  /** A turn whose delegate waits for a person waits for that person, too. */
  async #watch(child: TurnRow): Promise<void> {
    const key = `delegate ${child.id}`;
    const onWaiting = (isWaiting: boolean) => {
      if (isWaiting) this.#running.waitsFor.add(key);
      else this.#running.waitsFor.delete(key);
      // A wait that could not be stored is stored with the next change.
      storeWaiting(this.#deps, this.#running).catch(() => undefined);
    };
    const { signal } = this.#running;
    await watchTurn(this.#deps.log, child, { timeoutMs: null, signal, onWaiting });
    if (this.#running.waitsFor.delete(key)) await storeWaiting(this.#deps, this.#running);
  }

  async #notePending(pending: string | null): Promise<void> {
    await this.#deps.log.write((tx) => saveTurn(tx.db, this.#running.id, { pending }));
    this.#running.turn.pending = pending;
  }

  async #session(tx: Tx): Promise<SessionRow> {
    const session = await loadSessionRow(tx.db, this.#running.turn.session_id);
    if (!session) throw new DelegationRefused('session_not_found', say('session_not_found.deleted'));
    // A session that was cleared has lost its turns: nothing of them comes back into it.
    if (!(await findTurn(tx.db, this.#running.id))) throw new DelegationRefused('no_turn', say('delegation.turnEnded'));
    return session;
  }
}

type DelegationPart = Extract<Part, { type: 'delegation' }>;
