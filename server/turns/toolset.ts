import type { ToolCallState } from '../../contract/tools.ts';
import type { OfferedTool, RequestedStep, SpokenCall, SpokenStep, TurnTools } from '../agents/adapter.ts';
import { reach } from '../fault-points.ts';
import type { ToolCallRow } from '../storage/tables.ts';
import { type Tool, ToolFailure } from '../tools/tool.ts';
import type { Toolset } from '../tools/toolset.ts';
import type { Settled } from './actions.ts';
import { CallContexts } from './call-context.ts';
import { limitTime, orAborted } from './call-limit.ts';
import { CallRecords } from './call-records.ts';
import { newCall, type Plan, parseInput, type Wanted, withoutWords, wordsOf } from './plan-call.ts';
import type { RunningTurn } from './running-turn.ts';
import type { Workbench } from './workbench.ts';

/** The tools of one turn: decides, asks, carries out, and has every step of it on disk before it happens. */
export class TurnToolset implements TurnTools {
  readonly #bench: Workbench;
  readonly #running: RunningTurn;
  readonly #records: CallRecords;
  readonly #contexts: CallContexts;
  /** As they were when the turn began: all its requests begin alike. What a call may do is decided when it is made. */
  readonly #offer: Toolset;
  #scoped: Toolset | null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(bench: Workbench, running: RunningTurn, scoped: Toolset) {
    this.#bench = bench;
    this.#running = running;
    this.#records = new CallRecords(bench, running);
    this.#contexts = new CallContexts(bench, running, this.#records);
    this.#offer = scoped;
    this.#scoped = scoped;
  }

  get offered(): readonly OfferedTool[] {
    return this.#offer.offered;
  }

  get skills() {
    return this.#offer.skills;
  }

  get agents() {
    return this.#offer.agents;
  }

  /** What the agent may use, as of its latest call. */
  get scoped(): Toolset {
    return this.#scoped ?? this.#offer;
  }

  async carryOut({ calls, opaque }: RequestedStep): Promise<SpokenStep> {
    const text = this.#running.speech.wordsSinceCalls();
    const plans = await this.#begin(calls, 'model', opaque);
    await Promise.all(plans.map((plan) => this.#complete(plan, this.#running.signal)));
    return { text, calls: plans.map(({ row }) => toSpoken(row)), ...(opaque !== undefined && { opaque }) };
  }

  /** A call that comes through a skill's command line while the turn runs. `gone` when whoever made it no longer waits. */
  async carryOutSkill(name: string, input: string, gone: AbortSignal): Promise<ToolCallRow> {
    const [plan] = await this.#begin([{ name, input }], 'skill');
    const signal = AbortSignal.any([this.#running.signal, gone]);
    await this.#complete(plan!, signal);
    if (signal.aborted) await this.#giveUp(plan!.row, CALLER_LEFT);
    return plan!.row;
  }

  async takeUp(step: SpokenStep): Promise<SpokenStep> {
    await this.#rescope();
    const rows = new Map(this.#running.speech.calls.map((row) => [row.id, row]));
    const mine = step.calls.flatMap(({ callId }) => rows.get(callId) ?? []);
    // Programs that used skills are gone with the server that had started them.
    const strays = [...rows.values()].filter((row) => row.ended_at === null && !mine.includes(row));
    for (const row of strays) await this.#giveUp(row, UNKNOWN_OUTCOME);
    await Promise.all(mine.filter((row) => row.ended_at === null).map((row) => this.#takeUpCall(row)));
    const opaque = mine[0]?.opaque ? { opaque: JSON.parse(mine[0].opaque) } : {};
    return { text: step.text, calls: mine.map(toSpoken), ...opaque };
  }

  /** One step after the other, so that each knows its place among the parts of the message. */
  #begin(calls: readonly Wanted[], via: 'model' | 'skill', opaque?: unknown): Promise<Plan[]> {
    const begun = this.#last.then(async () => {
      await this.#rescope();
      const { speech, stepNumber: step } = this.#running;
      const rows = calls.map((call, index) =>
        newCall(this.#running, { ...call, step, part: speech.nextPart + index, via }),
      );
      if (rows[0] && opaque !== undefined) rows[0].opaque = JSON.stringify(opaque);
      const plans = rows.map((row) => this.#plan(row));
      await this.#records.begin(plans);
      return plans;
    });
    this.#last = begun.catch(() => undefined);
    return begun;
  }

  /** Configurations and modes change while a turn runs, and while a person thinks. */
  async #rescope(): Promise<void> {
    this.#scoped = await this.#bench.scope(this.#running);
  }

  #plan(row: ToolCallRow): Plan {
    if (!this.#scoped)
      return { row, tool: undefined, refused: ['rejected', `${row.agent_id} is no longer configured.`] };
    const decision = this.#scoped.decide(row.name, row.via === 'skill' ? 'skill' : 'model');
    const tool = this.#scoped.find(row.name);
    if (!decision.allowed || !tool) return { row, tool, refused: ['rejected', decision.reason] };
    const { input, issue } = parseInput(tool, row.input);
    if (issue !== undefined) return { row, tool, refused: ['failed', issue] };
    const { policy, rule } = this.#scoped.approval(tool);
    if (policy === 'deny') return { row, tool, refused: ['denied', `The configuration refuses this call: ${rule}`] };
    return { row, tool, input, asks: policy === 'ask' };
  }

  async #complete({ row, tool, input }: Plan, signal: AbortSignal): Promise<void> {
    if (row.ended_at !== null) return;
    if (row.state !== 'waiting') return this.#execute(row, tool!, input, { signal, resumed: false });
    const settled = await this.#contexts.settled(row.action_id!, signal);
    if (settled) await this.#afterApproval(row, settled, signal);
  }

  /** What runs is what was shown, and only what is still allowed at this moment. */
  async #afterApproval(row: ToolCallRow, { state, answer }: Settled, signal: AbortSignal): Promise<void> {
    if (state !== 'answered')
      return this.#records.end(row, 'denied', `Nobody approved it: the request was ${state}.`, true);
    if (answer?.decision === 'deny') {
      const reason = answer.reason ? `The person refused: ${answer.reason}` : 'The person refused.';
      return this.#records.end(row, 'denied', reason, true);
    }
    if (answer?.input) row.input = JSON.stringify(answer.input);
    await this.#rescope();
    const { tool, input, refused } = this.#plan(row);
    if (refused) return this.#records.end(row, refused[0], refused[1], true);
    await this.#records.start(row);
    await this.#execute(row, tool!, input, { signal, resumed: false });
  }

  async #takeUpCall(row: ToolCallRow): Promise<void> {
    const { signal } = this.#running;
    const tool = this.#scoped?.find(row.name);
    if (row.began === 0) return this.#complete({ row, tool }, signal);
    if (!tool?.resumable) return this.#records.end(row, 'interrupted', UNKNOWN_OUTCOME, true);
    const { input, issue } = parseInput(tool, row.input);
    if (issue !== undefined) return this.#records.end(row, 'failed', issue, true);
    return this.#execute(row, tool, input, { signal, resumed: true });
  }

  /** Nobody waits for it any more. What the turn itself leaves open ends with the turn. */
  async #giveUp(row: ToolCallRow, unknown: string): Promise<void> {
    if (row.ended_at !== null || this.#running.signal.aborted) return;
    const [state, reason]: [ToolCallState, string] =
      row.began === 1 ? ['interrupted', unknown] : ['cancelled', CALLER_GONE];
    await this.#records.withdraw(row, state, reason);
  }

  async #execute(row: ToolCallRow, tool: Tool, input: unknown, { signal, resumed }: Terms): Promise<void> {
    if (signal.aborted) return;
    const limit = limitTime(row, tool.resumable ? null : this.#bench.limits().toolMs);
    const either = AbortSignal.any([signal, limit.signal]);
    reach('tool.executing');
    try {
      const context = this.#contexts.of(row, either, resumed);
      const output = await orAborted(tool.execute(input, context), either);
      reach('tool.executed');
      await this.#records.end(row, output.isError ? 'failed' : 'complete', output.text, output.isError ?? false);
    } catch (error) {
      if (signal.aborted) return;
      if (limit.signal.aborted)
        return await this.#records.end(row, 'failed', 'It took longer than a tool call may.', true);
      if (!(error instanceof ToolFailure))
        this.#bench.report(`the tool ${row.name} failed on a defect`, withoutWords(error));
      await this.#records.end(row, 'failed', wordsOf(error), true);
    } finally {
      limit.end();
    }
  }
}

interface Terms {
  signal: AbortSignal;
  /** It had begun before the server stopped. */
  resumed: boolean;
}

const UNKNOWN_OUTCOME =
  'Parley stopped while this call was being carried out, so nobody knows what came of it. Do not repeat it without asking the person.';
const CALLER_LEFT =
  'The program that called it went away while it was being carried out, so nobody knows what came of it.';
const CALLER_GONE = 'It was not carried out: the program that called it is gone.';

function toSpoken({ id, name, input, output, is_error }: ToolCallRow): SpokenCall {
  return { callId: id, name, input, result: output === null ? null : { output, isError: is_error === 1 } };
}
