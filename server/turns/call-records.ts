import { setTimeout as pause } from 'node:timers/promises';
import type { AnswerAction, Question } from '../../contract/actions.ts';
import { AppError } from '../../contract/errors.ts';
import { say, type Text } from '../../contract/texts.ts';
import type { AnsweredQuestion, ToolCallState } from '../../contract/tools.ts';
import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { saveSession } from '../sessions/store.ts';
import { insertAudit } from '../storage/audit.ts';
import type { SessionRow, ToolCallRow } from '../storage/tables.ts';
import { isGranted, loadAction } from './action-store.ts';
import { type ActionDetail, withdrawAction } from './actions.ts';
import { answeredQuestion } from './answers.ts';
import { cutBytes, cutOutput, noteReason, noteWaitedTime, toToolCall } from './call-rows.ts';
import { insertCall, saveCall } from './call-store.ts';
import { insertUnflushedOfTurn } from './flusher.ts';
import { isOnceOnly, type Plan, toApproval } from './plan-call.ts';
import type { RunningTurn } from './running-turn.ts';
import { findTurn, loadSessionRow } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';
import { noteWaiting } from './waiting.ts';

type CallEvent = 'tool.updated' | 'tool.ended';

/** What a call came to, and what the agent is told of it. */
export interface CallOutcome {
  readonly state: ToolCallState;
  readonly said: string | Text;
  readonly isError: boolean;
}

/** Carries an atomic tool out within a transaction. */
type CarryOut = (tx: Tx, plan: Plan) => Promise<CallOutcome>;

/** The output as far as it is told, and as far as it is stored. */
interface Ending {
  readonly state: ToolCallState;
  readonly output: string;
  readonly whole: string;
  readonly isError: boolean;
}

/** The calls of one turn on disk, with everything that follows for the turn and its session. */
export class CallRecords {
  readonly #deps: TurnDeps;
  readonly #running: RunningTurn;

  constructor(deps: TurnDeps, running: RunningTurn) {
    this.#deps = deps;
    this.#running = running;
  }

  /**
   * Rows, questions and events of all calls of a step in one transaction. Nothing has happened before it commits, except
   * that atomic tools have been carried out: that and the end of their calls are in the same transaction.
   */
  async begin(plans: readonly Plan[], carryOut?: CarryOut): Promise<void> {
    const running = this.#running;
    await this.#deps.flusher.release(running);
    const unflushed = running.takeUnflushed();
    try {
      await this.#deps.log.write(async (tx) => {
        // A session that was cleared meanwhile has lost the turn.
        if (running.stop || running.over.isOver || !(await findTurn(tx.db, running.id)))
          throw new AppError('turn_token_invalid', say('turn_token_invalid.over'));
        await insertUnflushedOfTurn(tx.db, unflushed);
        const session = await this.#session(tx);
        for (const plan of plans) await this.#beginOne(tx, session, plan);
        for (const plan of plans) await this.#insertOne(tx, session, plan, carryOut);
        await noteWaiting(tx, session, running);
        await saveSession(tx.db, session);
        reach('tool.before-start');
      });
    } catch (error) {
      running.putBack(unflushed);
      for (const { row } of plans) running.waitsFor.delete(row.id);
      throw error;
    }
    running.output.addCalls(plans.map(({ row }) => row));
    this.#deps.coordinator.balance(running);
    reach('tool.started');
  }

  async #beginOne(tx: Tx, session: SessionRow, plan: Plan): Promise<void> {
    const { row } = plan;
    if (plan.refused) refuse(tx, row, plan.refused);
    else if (plan.asks && !(await this.#isGranted(tx, plan))) await this.#askFirst(tx, session, plan);
    else Object.assign(row, { state: 'running', began: 1, started_at: tx.now });
    // A name that no tool has is whatever the model wrote.
    const detail = `${row.agent_id} ${plan.tool?.name ?? 'something unknown'} ${row.state}`;
    await insertAudit(tx.db, { owner: session.owner, action: 'tool.call', object: row.id, detail, request_id: null });
    const type = row.ended_at === null ? 'tool.started' : 'tool.ended';
    tx.append(session, { type, call: toToolCall(row) });
  }

  /** An atomic call is inserted as it ended, with its whole output. */
  async #insertOne(tx: Tx, session: SessionRow, plan: Plan, carryOut?: CarryOut): Promise<void> {
    const { row, tool } = plan;
    if (row.state !== 'running' || !tool?.atomic || !carryOut) return insertCall(tx.db, row);
    const ending = this.#toEnding(row, await carryOut(tx, plan));
    this.#endIn(tx, row, ending);
    await insertCall(tx.db, { ...row, output: ending.whole });
    tx.append(session, { type: 'tool.ended', call: toToolCall(row) });
  }

  async #isGranted(tx: Tx, { row, tool }: Plan): Promise<boolean> {
    if (isOnceOnly(this.#running, tool!)) return false;
    return isGranted(tx.db, this.#running.owner, row.agent_id, row.name, row.session_id);
  }

  async #askFirst(tx: Tx, session: SessionRow, plan: Plan): Promise<void> {
    const { row } = plan;
    const tool = plan.tool!;
    const action = await this.#deps.actions.open(tx, session, {
      kind: 'approval',
      title: `${row.agent_id} wants to use ${row.name}`,
      turnId: row.turn_id,
      agentId: row.agent_id,
      chain: this.#running.chain,
      callId: row.id,
      detail: { approval: toApproval({ ...plan, tool }, isOnceOnly(this.#running, tool)) },
    });
    Object.assign(row, { state: 'waiting', action_id: action.id });
    this.#running.waitsFor.add(row.id);
  }

  /** The call runs from here on: after a crash, the result of a call in this state is unknown. */
  start(row: ToolCallRow): Promise<void> {
    return this.#write(row, async (tx) => {
      Object.assign(row, { state: 'running', began: 1, started_at: tx.now });
      return 'tool.updated';
    });
  }

  async end(row: ToolCallRow, state: ToolCallState, said: string | Text, isError: boolean): Promise<void> {
    const ending = this.#toEnding(row, { state, said, isError });
    await this.#write(row, async (tx) => this.#endIn(tx, row, ending), ending.whole);
    reach('tool.ended');
  }

  #toEnding(row: ToolCallRow, { state, said, isError }: CallOutcome): Ending {
    const output = noteReason(row, said);
    return { state, output, whole: cutBytes(output, this.#deps.limits().toolStoredBytes), isError };
  }

  #endIn({ now }: Tx, row: ToolCallRow, { state, output, whole, isError }: Ending): CallEvent {
    const reason = WITH_REASON.has(state) ? output : null;
    Object.assign(row, { state, is_error: isError ? 1 : 0, ended_at: now, reason });
    row.output = cutOutput(row.id, whole, this.#deps.limits().toolOutputBytes);
    row.output_bytes = Buffer.byteLength(output);
    return 'tool.ended';
  }

  /** Ends it together with what was asked about it. */
  withdraw(row: ToolCallRow, state: ToolCallState, why: Text): Promise<void> {
    const reason = noteReason(row, why);
    return this.#write(
      row,
      async (tx) => {
        const session = await this.#session(tx);
        if (row.action_id !== null) await withdrawAction(tx, session, row.action_id);
        await saveSession(tx.db, session);
        return this.#endIn(tx, row, { state, output: reason, whole: reason, isError: true });
      },
      reason,
    );
  }

  /** Null when the turn was stopped before the question was opened. */
  async openQuestion(row: ToolCallRow, question: Question): Promise<string | null> {
    let actionId: string | null = null;
    await this.#write(row, async (tx) => {
      const session = await this.#session(tx);
      const action = await this.#deps.actions.open(tx, session, {
        kind: 'question',
        title: `${row.agent_id} asks: ${question.question}`.slice(0, 200),
        turnId: row.turn_id,
        agentId: row.agent_id,
        chain: this.#running.chain,
        callId: row.id,
        detail: { question },
      });
      await saveSession(tx.db, session);
      actionId = action.id;
      Object.assign(row, { state: 'waiting', action_id: action.id });
      return 'tool.updated';
    });
    return actionId;
  }

  /** The call goes on with the person's answer, which is kept with the call. */
  async noteAnswer(row: ToolCallRow, actionId: string): Promise<void> {
    if (row.ended_at !== null) return;
    const before: AnsweredQuestion[] = row.answers === null ? [] : JSON.parse(row.answers);
    await this.#write(row, async (tx) => {
      const action = await loadAction(tx.db, this.#running.owner, actionId);
      const { question }: ActionDetail = JSON.parse(action.detail);
      const answer: AnswerAction | null = action.answer === null ? null : JSON.parse(action.answer);
      if (question && answer) row.answers = JSON.stringify([...before, answeredQuestion(question, answer)]);
      row.state = 'running';
      return 'tool.updated';
    });
  }

  async noteWait(row: ToolCallRow, isWaiting: boolean): Promise<void> {
    if (row.ended_at !== null || (row.state === 'waiting') === isWaiting) return;
    await this.#write(row, async () => {
      row.state = isWaiting ? 'waiting' : 'running';
      return 'tool.updated';
    });
  }

  /** Holds on until it is on disk: what a tool did must not be forgotten because a disk is full. */
  async #write(row: ToolCallRow, change: (tx: Tx) => Promise<CallEvent>, output: string | null = null): Promise<void> {
    const running = this.#running;
    for (let attempt = 0; ; attempt++) {
      if (running.isSuspended) return;
      let before: ToolCallRow | undefined;
      try {
        await this.#deps.log.write((tx) => {
          before = { ...row };
          return this.#writeIn(tx, row, change, output);
        });
        return this.#deps.coordinator.balance(running);
      } catch (error) {
        if (before) this.#undo(row, before);
        if (running.signal.aborted) return;
        this.#deps.report('a tool call could not be stored yet', error);
        await pause(Math.min(100 * 2 ** attempt, 5000));
      }
    }
  }

  /** What was rolled back did not happen. */
  #undo(row: ToolCallRow, before: ToolCallRow): void {
    Object.assign(row, before);
    if (row.state === 'waiting') this.#running.waitsFor.add(row.id);
    else this.#running.waitsFor.delete(row.id);
  }

  async #writeIn(tx: Tx, row: ToolCallRow, change: (tx: Tx) => Promise<CallEvent>, output: string | null) {
    const { waitsFor } = this.#running;
    const type = await change(tx);
    noteWaitedTime(row, tx.now);
    if (row.state === 'waiting') waitsFor.add(row.id);
    else waitsFor.delete(row.id);
    const session = await this.#session(tx);
    if (await saveCall(tx.db, row, output)) tx.append(session, { type, call: toToolCall(row) });
    await noteWaiting(tx, session, this.#running);
    await saveSession(tx.db, session);
  }

  async #session(tx: Tx): Promise<SessionRow> {
    const session = await loadSessionRow(tx.db, this.#running.turn.session_id);
    if (!session) throw new AppError('session_not_found', say('session_not_found.deleted'));
    return session;
  }
}

const WITH_REASON: ReadonlySet<ToolCallState> = new Set(['denied', 'rejected', 'interrupted', 'cancelled']);

function refuse({ now }: Tx, row: ToolCallRow, [state, why]: NonNullable<Plan['refused']>): void {
  const reason = noteReason(row, why);
  const output_bytes = Buffer.byteLength(reason);
  Object.assign(row, { state, reason, output: reason, output_bytes, is_error: 1, ended_at: now });
}
