import { setTimeout as pause } from 'node:timers/promises';
import type { Question } from '../../contract/actions.ts';
import type { Limits } from '../../contract/config.ts';
import type { ToolCallState } from '../../contract/tools.ts';
import type { OfferedTool, RequestedStep, SpokenCall, SpokenStep, TurnTools } from '../agents/adapter.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { saveSession } from '../sessions/store.ts';
import { insertAudit } from '../storage/audit.ts';
import type { SessionRow, ToolCallRow } from '../storage/tables.ts';
import type { Answer, BackgroundSession, BackgroundWork, Progress, Tool, ToolContext } from '../tools/tool.ts';
import { ToolFailure } from '../tools/tool.ts';
import type { Toolset } from '../tools/toolset.ts';
import { isGranted, loadAction } from './action-store.ts';
import type { Actions, Settled } from './actions.ts';
import { insertCall, saveCall } from './call-store.ts';
import { cutBytes, cutOutput, toToolCall } from './call-views.ts';
import type { Flusher } from './flusher.ts';
import { newCall, type Plan, parseInput, toApproval, wordsOf } from './plan-call.ts';
import type { RunningTurn } from './running-turn.ts';
import { insertPartials, insertRequests, loadSessionRow } from './store.ts';
import { noteWaiting } from './waiting.ts';

/** What carrying out calls needs from the rest of the house. */
export interface Workbench {
  readonly log: EventLog;
  readonly flusher: Flusher;
  readonly actions: Actions;
  limits(): Limits;
  /** The turn waits, or no longer does: it needs no room among those that run. */
  balance(running: RunningTurn): void;
  background(running: RunningTurn, callId: string, work: BackgroundWork): Promise<BackgroundSession>;
  turnToken(running: RunningTurn): string;
  report(problem: string, error: unknown): void;
}

/** The tools of one turn: decides, asks, carries out, and has every step of it on disk before it happens. */
export class TurnToolset implements TurnTools {
  readonly #bench: Workbench;
  readonly #running: RunningTurn;
  readonly #scoped: Toolset;

  constructor(bench: Workbench, running: RunningTurn, scoped: Toolset) {
    this.#bench = bench;
    this.#running = running;
    this.#scoped = scoped;
  }

  get offered(): readonly OfferedTool[] {
    return this.#scoped.offered;
  }

  get skills() {
    return this.#scoped.skills;
  }

  get agents() {
    return this.#scoped.agents;
  }

  /** What the agent may use, before anything is carried out. */
  get scoped(): Toolset {
    return this.#scoped;
  }

  async carryOut({ calls, opaque }: RequestedStep): Promise<SpokenStep> {
    const first = this.#running.speech.nextPart;
    const text = this.#running.speech.wordsSinceCalls();
    const step = this.#running.stepNumber;
    const plans = calls.map((call, index) =>
      this.#plan(newCall(this.#running, { ...call, step, part: first + index, via: 'model' }), 'model'),
    );
    if (plans[0] && opaque !== undefined) plans[0].row.opaque = JSON.stringify(opaque);
    await this.#begin(plans);
    await Promise.all(plans.map((plan) => this.#complete(plan)));
    return { text, calls: plans.map(({ row }) => toSpoken(row)), ...(opaque !== undefined && { opaque }) };
  }

  /** A call that comes through a skill's command line while the turn runs. */
  async carryOutSkill(name: string, input: string): Promise<ToolCallRow> {
    const { speech, stepNumber: step } = this.#running;
    const plan = this.#plan(
      newCall(this.#running, { name, input, step, part: speech.nextPart, via: 'skill' }),
      'skill',
    );
    await this.#begin([plan]);
    await this.#complete(plan);
    return plan.row;
  }

  async takeUp(step: SpokenStep): Promise<SpokenStep> {
    const rows = new Map(this.#running.speech.calls.map((row) => [row.id, row]));
    const mine = step.calls.flatMap(({ callId }) => rows.get(callId) ?? []);
    await Promise.all(mine.filter((row) => row.ended_at === null).map((row) => this.#takeUpCall(row)));
    const opaque = mine[0]?.opaque ? { opaque: JSON.parse(mine[0].opaque) } : {};
    return { text: step.text, calls: mine.map(toSpoken), ...opaque };
  }

  #plan(row: ToolCallRow, via: 'model' | 'skill'): Plan {
    const decision = this.#scoped.decide(row.name, via);
    const tool = this.#scoped.find(row.name);
    if (!decision.allowed || !tool) return { row, tool: undefined, refused: ['rejected', decision.reason] };
    const { input, issue } = parseInput(tool, row.input);
    if (issue !== undefined) return { row, tool, refused: ['failed', issue] };
    const { policy, rule } = this.#scoped.approval(tool);
    if (policy === 'deny') return { row, tool, refused: ['denied', `The configuration refuses this call (${rule}).`] };
    return { row, tool, input, asks: policy === 'ask' };
  }

  /** Rows, questions and events of all calls of a step in one transaction; nothing has happened before it commits. */
  async #begin(plans: readonly Plan[]): Promise<void> {
    const running = this.#running;
    await this.#bench.flusher.release(running);
    const unflushed = running.takeUnflushed();
    try {
      await this.#bench.log.write(async (tx) => {
        await insertRequests(tx.db, unflushed.requests);
        await insertPartials(tx.db, unflushed.partials);
        const session = await this.#session(tx);
        for (const plan of plans) await this.#beginOne(tx, session, plan);
        await noteWaiting(tx, session, running);
        await saveSession(tx.db, session);
        reach('tool.before-start');
      });
    } catch (error) {
      running.putBack(unflushed);
      for (const { row } of plans) running.waitsFor.delete(row.id);
      throw error;
    }
    running.speech.addCalls(plans.map(({ row }) => row));
    this.#bench.balance(running);
    reach('tool.started');
  }

  async #beginOne(tx: Tx, session: SessionRow, plan: Plan): Promise<void> {
    const { row } = plan;
    if (plan.refused) this.#refuse(tx, row, plan.refused);
    else if (plan.asks && !(await this.#isGranted(tx, row))) await this.#askFirst(tx, session, plan);
    else Object.assign(row, { state: 'running', began: 1, started_at: tx.now });
    await insertCall(tx.db, row);
    const detail = `${row.agent_id} ${row.name} ${row.state}`;
    await insertAudit(tx.db, { owner: session.owner, action: 'tool.call', object: row.id, detail, request_id: null });
    const type = row.ended_at === null ? 'tool.started' : 'tool.ended';
    tx.append(session, { type, call: toToolCall(row) });
  }

  #refuse(tx: Tx, row: ToolCallRow, [state, reason]: readonly [ToolCallState, string]): void {
    const output_bytes = Buffer.byteLength(reason);
    Object.assign(row, { state, reason, output: reason, output_bytes, is_error: 1, ended_at: tx.now });
  }

  #isGranted(tx: Tx, row: ToolCallRow): Promise<boolean> {
    return isGranted(tx.db, this.#running.owner, row.agent_id, row.name, row.session_id);
  }

  async #askFirst(tx: Tx, session: SessionRow, { row, tool }: Plan): Promise<void> {
    const action = await this.#bench.actions.open(tx, session, {
      kind: 'approval',
      title: `${row.agent_id} wants to use ${row.name}`,
      turnId: row.turn_id,
      agentId: row.agent_id,
      chain: this.#running.chain,
      callId: row.id,
      detail: { approval: toApproval(row, tool!) },
    });
    Object.assign(row, { state: 'waiting', action_id: action.id });
    this.#running.waitsFor.add(row.id);
  }

  async #complete({ row, tool, input }: Plan): Promise<void> {
    if (row.ended_at !== null) return;
    if (row.state !== 'waiting') return this.#execute(row, tool!, input, false);
    const settled = await this.#settled(row.action_id!);
    if (settled) await this.#afterApproval(row, settled);
  }

  /** Null when the turn was stopped meanwhile: then its end is the end of the call. */
  async #settled(actionId: string): Promise<Settled | null> {
    try {
      const action = await loadAction(this.#bench.log.db, this.#running.owner, actionId);
      if (action.state === 'open') return await this.#bench.actions.settled(actionId, this.#running.signal);
      return { state: action.state as Settled['state'], answer: action.answer && JSON.parse(action.answer) };
    } catch (error) {
      if (this.#running.signal.aborted) return null;
      throw error;
    }
  }

  /** What runs is what was shown, and only what is still allowed at this moment. */
  async #afterApproval(row: ToolCallRow, { state, answer }: Settled): Promise<void> {
    if (state !== 'answered') return this.#end(row, 'denied', `Nobody approved it: the request was ${state}.`, true);
    if (answer?.decision === 'deny') {
      const reason = answer.reason ? `The person refused: ${answer.reason}` : 'The person refused.';
      return this.#end(row, 'denied', reason, true);
    }
    if (answer?.input) row.input = JSON.stringify(answer.input);
    const { tool, input, refused } = this.#plan(row, row.via as 'model');
    if (refused) return this.#end(row, refused[0], refused[1], true);
    await this.#write(row, async (tx) => {
      Object.assign(row, { state: 'running', began: 1, started_at: tx.now });
      return 'tool.updated';
    });
    await this.#execute(row, tool!, input, false);
  }

  async #takeUpCall(row: ToolCallRow): Promise<void> {
    const tool = this.#scoped.find(row.name);
    if (row.began === 0) return this.#complete({ row, tool });
    if (!tool?.resumable) return this.#end(row, 'interrupted', UNKNOWN_OUTCOME, true);
    const { input, issue } = parseInput(tool, row.input);
    if (issue !== undefined) return this.#end(row, 'failed', issue, true);
    return this.#execute(row, tool, input, true);
  }

  async #execute(row: ToolCallRow, tool: Tool, input: unknown, resumed: boolean): Promise<void> {
    const limit = tool.resumable ? null : AbortSignal.timeout(this.#bench.limits().toolMs);
    const signal = limit ? AbortSignal.any([this.#running.signal, limit]) : this.#running.signal;
    reach('tool.executing');
    try {
      const output = await orAborted(tool.execute(input, this.#context(row, signal, resumed)), signal);
      await this.#end(row, output.isError ? 'failed' : 'complete', output.text, output.isError ?? false);
    } catch (error) {
      if (this.#running.signal.aborted) return;
      if (limit?.aborted) return this.#end(row, 'failed', 'It took longer than a tool call may.', true);
      if (!(error instanceof ToolFailure)) this.#bench.report(`the tool ${row.name} failed on a defect`, error);
      await this.#end(row, 'failed', wordsOf(error), true);
    }
  }

  async #end(row: ToolCallRow, state: ToolCallState, output: string, isError: boolean): Promise<void> {
    const { toolOutputBytes, toolStoredBytes } = this.#bench.limits();
    const whole = cutBytes(output, toolStoredBytes);
    await this.#write(
      row,
      async (tx) => {
        const refused = state === 'denied' || state === 'rejected' || state === 'interrupted';
        Object.assign(row, { state, is_error: isError ? 1 : 0, ended_at: tx.now, reason: refused ? output : null });
        Object.assign(row, {
          output: cutOutput(row.id, whole, toolOutputBytes),
          output_bytes: Buffer.byteLength(output),
        });
        return 'tool.ended';
      },
      whole,
    );
    reach('tool.ended');
  }

  /** Holds on until it is on disk: what a tool did must not be forgotten because a disk is full. */
  async #write(row: ToolCallRow, change: (tx: Tx) => Promise<CallEvent>, output: string | null = null): Promise<void> {
    const running = this.#running;
    for (let attempt = 0; ; attempt++) {
      if (running.isSuspended) return;
      try {
        await this.#bench.log.write(async (tx) => {
          const type = await change(tx);
          if (row.state === 'waiting') running.waitsFor.add(row.id);
          else running.waitsFor.delete(row.id);
          const session = await this.#session(tx);
          await saveCall(tx.db, row, output);
          tx.append(session, { type, call: toToolCall(row) });
          await noteWaiting(tx, session, running);
          await saveSession(tx.db, session);
        });
        return this.#bench.balance(running);
      } catch (error) {
        if (running.signal.aborted) return;
        this.#bench.report('a tool call could not be written down yet', error);
        await pause(Math.min(100 * 2 ** attempt, 5000));
      }
    }
  }

  async #session(tx: Tx): Promise<SessionRow> {
    const session = await loadSessionRow(tx.db, this.#running.turn.session_id);
    if (!session) throw new ToolFailure('The session is gone.', 'session_gone');
    return session;
  }

  #context(row: ToolCallRow, signal: AbortSignal, resumed: boolean): ToolContext {
    const { owner } = this.#running;
    return {
      owner,
      agentId: row.agent_id,
      sessionId: row.session_id,
      turnId: row.turn_id,
      callId: row.id,
      resumed,
      signal,
      progress: (progress) => this.#progress(row, progress),
      ask: (question) => this.#ask(row, question, signal),
      waiting: (isWaiting) => this.#noteWait(row, isWaiting),
      background: (work) => this.#bench.background(this.#running, row.id, work),
      turnToken: () => this.#bench.turnToken(this.#running),
    };
  }

  #progress(
    row: ToolCallRow,
    { text = null, fraction = null }: { [key in keyof Progress]: Progress[key] | null },
  ): void {
    const { session_id: sessionId, turn_id: turnId, id: callId } = row;
    const delta = { type: 'tool.progress' as const, sessionId, turnId, callId, text, fraction };
    this.#bench.log.bus.publishDelta({ owner: this.#running.owner, delta });
  }

  async #ask(row: ToolCallRow, question: Question, signal: AbortSignal): Promise<Answer | null> {
    if (row.state !== 'waiting' || row.action_id === null) await this.#openQuestion(row, question);
    const settled = await this.#settled(row.action_id!);
    if (!settled) throw signal.reason ?? new ToolFailure('The turn was stopped.');
    await this.#noteWait(row, false);
    const { answer } = settled;
    return answer?.decision === 'answer' ? { text: answer.text, values: answer.values } : null;
  }

  #openQuestion(row: ToolCallRow, question: Question): Promise<void> {
    return this.#write(row, async (tx) => {
      const session = await this.#session(tx);
      const action = await this.#bench.actions.open(tx, session, {
        kind: 'question',
        title: `${row.agent_id} asks: ${question.question}`.slice(0, 200),
        turnId: row.turn_id,
        agentId: row.agent_id,
        chain: this.#running.chain,
        callId: row.id,
        detail: { question },
      });
      await saveSession(tx.db, session);
      Object.assign(row, { state: 'waiting', action_id: action.id });
      return 'tool.updated';
    });
  }

  async #noteWait(row: ToolCallRow, isWaiting: boolean): Promise<void> {
    if (row.ended_at !== null || (row.state === 'waiting') === isWaiting) return;
    await this.#write(row, async () => {
      row.state = isWaiting ? 'waiting' : 'running';
      return 'tool.updated';
    });
  }
}

type CallEvent = 'tool.updated' | 'tool.ended';

const UNKNOWN_OUTCOME =
  'Parley stopped while this call was being carried out, so nobody knows what came of it. Do not repeat it without asking the person.';

function toSpoken({ id, name, input, output, is_error }: ToolCallRow): SpokenCall {
  return { callId: id, name, input, result: output === null ? null : { output, isError: is_error === 1 } };
}

/** A tool that does not heed its signal is left behind. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave));
}
