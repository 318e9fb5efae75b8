import { AppError } from '../../contract/errors.ts';
import { say, type Text } from '../../contract/texts.ts';
import type { ToolCallState } from '../../contract/tools.ts';
import type { OfferedTool, RequestedStep, SpokenCall, SpokenStep } from '../agents/agent.ts';
import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { ToolCallRow } from '../storage/tables.ts';
import { type Tool, ToolFailure, type ToolOutput } from '../tools/tool.ts';
import type { Toolset } from '../tools/toolset.ts';
import type { Working } from '../workspaces/workspaces.ts';
import type { Settled } from './actions.ts';
import { CallContexts, type CallTerms, limitTime, orAborted } from './call-context.ts';
import { type CallOutcome, CallRecords } from './call-records.ts';
import { newCall, type Wanted } from './call-rows.ts';
import { type Plan, parseInput, withoutWords, wordsOf } from './plan-call.ts';
import type { RunningTurn, ScopedTools } from './running-turn.ts';
import type { TurnDeps } from './turn-deps.ts';
import { scopeNow } from './turn-scope.ts';

/** What programs of one turn may call, and the text of all that they give to it. */
const MOST_PROGRAM_CALLS = 1000;
const MOST_PROGRAM_INPUT = 20_000_000;

/** The tools of one turn: decides, asks, carries out, and has every step of it on disk before it happens. */
export class ToolCalls implements ScopedTools {
  readonly #deps: TurnDeps;
  readonly #running: RunningTurn;
  readonly #records: CallRecords;
  readonly #contexts: CallContexts;
  /**
   * As they were when the turn began, so that all its requests begin alike, unless an MCP server was still starting then.
   * What a call may do is decided when it is made.
   */
  #offer: Toolset;
  #scoped: Toolset | null;
  #last: Promise<unknown> = Promise.resolve();
  #programCalls = 0;
  #programInput = 0;

  constructor(deps: TurnDeps, running: RunningTurn, scoped: Toolset) {
    this.#deps = deps;
    this.#running = running;
    this.#records = new CallRecords(deps, running);
    this.#contexts = new CallContexts(deps, running, this.#records);
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

  get starting() {
    return this.#offer.starting;
  }

  get scoped(): Toolset {
    return this.#scoped ?? this.#offer;
  }

  async carryOut({ calls, opaque }: RequestedStep): Promise<SpokenStep> {
    const text = this.#running.output.wordsSinceCalls();
    const plans = await this.#begin(calls, 'model', opaque);
    await Promise.all(plans.map((plan) => this.#complete(plan, this.#running.signal)));
    return { text, calls: plans.map(({ row }) => toSpoken(row)), ...(opaque !== undefined && { opaque }) };
  }

  async carryOutFor(via: 'skill' | 'mcp', { name, input }: Wanted, gone: AbortSignal): Promise<ToolCallRow> {
    this.#countProgramCall(input);
    const [plan] = await this.#begin([{ name, input }], via);
    const signal = AbortSignal.any([this.#running.signal, this.#running.over.signal, gone]);
    await this.#complete(plan!, signal);
    if (signal.aborted) await this.#giveUp(plan!.row, CALLER_LEFT);
    return plan!.row;
  }

  /** Rows of calls stay in memory while the turn runs. */
  #countProgramCall(input: string): void {
    this.#programCalls += 1;
    this.#programInput += input.length;
    if (this.#programCalls > MOST_PROGRAM_CALLS || this.#programInput > MOST_PROGRAM_INPUT) {
      throw new AppError('too_many_tool_calls', say('too_many_tool_calls'));
    }
  }

  async takeUp(step: SpokenStep): Promise<SpokenStep> {
    await this.#rescope();
    const rows = new Map(this.#running.output.calls.map((row) => [row.id, row]));
    const mine = step.calls.flatMap(({ callId }) => rows.get(callId) ?? []);
    // Programs that used skills are gone with the server that had started them.
    const strays = [...rows.values()].filter((row) => row.ended_at === null && !mine.includes(row));
    for (const row of strays) await this.#giveUp(row, UNKNOWN_OUTCOME);
    await Promise.all(mine.filter((row) => row.ended_at === null).map((row) => this.#takeUpCall(row)));
    const opaque = mine[0]?.opaque ? { opaque: JSON.parse(mine[0].opaque) } : {};
    return { text: step.text, calls: mine.map(toSpoken), ...opaque };
  }

  /** One step after the other, so that each knows its place among the parts of the message. */
  #begin(calls: readonly Wanted[], via: 'model' | 'skill' | 'mcp', opaque?: unknown): Promise<Plan[]> {
    const begun = this.#last.then(async () => {
      await this.#rescope();
      const { output, stepNumber: step } = this.#running;
      const rows = calls.map((call, index) =>
        newCall(this.#running.turn, { ...call, step, part: output.nextPart + index, via }),
      );
      if (rows[0] && opaque !== undefined) rows[0].opaque = JSON.stringify(opaque);
      const plans = await Promise.all(rows.map((row) => this.#planWithResult(row).then(withFolder)));
      await this.#records.begin(plans, (tx, plan) => this.#carryOutIn(tx, plan));
      return plans;
    });
    this.#last = begun.catch(() => undefined);
    return begun;
  }

  /** Configurations and modes change while a turn runs, and while a person thinks. */
  async #rescope(): Promise<void> {
    this.#scoped = await scopeNow(this.#deps, this.#running);
    if (this.#scoped && this.#offer.starting.length > 0) this.#offer = this.#scoped;
  }

  async #planWithResult(row: ToolCallRow): Promise<Plan> {
    const plan = this.#plan(row);
    if (!plan.asks || !plan.tool?.preview) return plan;
    try {
      return { ...plan, result: await plan.tool.preview(plan.input) };
    } catch (error) {
      return refusedFor(plan, error);
    }
  }

  #plan(row: ToolCallRow): Plan {
    if (!this.#scoped) return { row, tool: undefined, refused: ['rejected', say('agent_gone', { id: row.agent_id })] };
    const decision = this.#scoped.decide(row.name, row.via === 'skill' ? 'skill' : 'model');
    const tool = this.#scoped.find(row.name);
    if (!decision.allowed || !tool)
      return { row, tool, refused: ['rejected', { ...decision.reasonText, message: decision.reason }] };
    const { input, issue } = parseInput(tool, row.input);
    if (issue !== undefined) return { row, tool, refused: ['failed', issue] };
    const { policy, rule, reason } = this.#scoped.approval(tool);
    if (policy === 'deny') return { row, tool, refused: ['denied', say('call.policy', { rule })] };
    return { row, tool, input, asks: policy === 'ask', reason };
  }

  async #complete({ row, tool, input }: Plan, signal: AbortSignal): Promise<void> {
    if (row.ended_at !== null) return;
    if (row.state !== 'waiting') return this.#execute(row, tool!, input, { signal, resumed: false });
    const settled = await this.#contexts.settled(row.action_id!, signal);
    if (settled) await this.#afterApproval(row, settled, signal);
  }

  /** What runs is what was shown, and only what is still allowed at this moment. */
  async #afterApproval(row: ToolCallRow, { state, answer }: Settled, signal: AbortSignal): Promise<void> {
    if (state !== 'answered') return this.#records.end(row, 'denied', say('call.notAnswered', { state }), true);
    if (answer?.decision === 'deny') {
      const reason = answer.reason ? say('call.deniedBecause', { reason: answer.reason }) : say('call.denied');
      return this.#records.end(row, 'denied', reason, true);
    }
    if (answer?.input) row.input = JSON.stringify(answer.input);
    await this.#rescope();
    const { tool, input, refused, result } = await this.#planWithResult(row);
    if (refused) return this.#records.end(row, refused[0], refused[1], true);
    const approvedFolder = await this.#approvedFolder(row);
    if (approvedFolder !== null && approvedFolder !== (await folderNow(tool!, row)))
      return this.#records.end(row, 'rejected', FOLDER_CHANGED, true);
    if (!answer?.input && !(await this.#isAsShown(row, result)))
      return this.#records.end(row, 'denied', CHANGED_SINCE, true);
    await this.#records.start(row);
    await this.#execute(row, tool!, input, { signal, resumed: false, approvedFolder });
  }

  async #approvedFolder(row: ToolCallRow): Promise<string | null> {
    const { approval } = await this.#deps.actions.get(this.#running.owner, row.action_id!);
    return approval?.folder ?? null;
  }

  /** Whether the call would bring about what the person was shown when they approved it. */
  async #isAsShown({ action_id }: ToolCallRow, result: string | null | undefined): Promise<boolean> {
    const shown = await this.#deps.actions.get(this.#running.owner, action_id!);
    return (shown.approval?.result ?? null) === (result ?? null);
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

  /** The caller no longer waits for the call. Calls that the turn itself leaves open end with the turn. */
  async #giveUp(row: ToolCallRow, unknown: Text): Promise<void> {
    if (row.ended_at !== null || this.#running.signal.aborted) return;
    const [state, reason]: [ToolCallState, Text] =
      row.began === 1 ? ['interrupted', unknown] : ['cancelled', CALLER_GONE];
    await this.#records.withdraw(row, state, reason);
  }

  async #execute(row: ToolCallRow, tool: Tool, input: unknown, { signal, ...terms }: Terms): Promise<void> {
    if (signal.aborted) return;
    const limit = limitTime(row, tool.resumable ? null : this.#deps.limits().toolMs);
    const either = AbortSignal.any([signal, limit.signal]);
    reach('tool.executing');
    try {
      const context = this.#contexts.of(row, either, terms);
      const output = await orAborted(tool.execute(input, context), either);
      reach('tool.executed');
      await this.#end(row, toOutcome(output));
    } catch (error) {
      if (signal.aborted) return;
      await this.#end(row, limit.signal.aborted ? TIMED_OUT : this.#failed(row, error));
    } finally {
      limit.end();
    }
  }

  #end(row: ToolCallRow, { state, said, isError }: CallOutcome): Promise<void> {
    return this.#records.end(row, state, said, isError);
  }

  /** An atomic tool, which cannot be left half done: it is carried out even if the turn is being stopped. */
  async #carryOutIn(tx: Tx, { row, tool, input }: Plan): Promise<CallOutcome> {
    const context = this.#contexts.of(row, this.#running.signal, { resumed: false, tx });
    reach('tool.executing');
    const attempted = await tx.attempt(async () => tool!.execute(input, context));
    reach('tool.executed');
    return 'result' in attempted ? toOutcome(attempted.result) : this.#failed(row, attempted.error);
  }

  #failed(row: ToolCallRow, error: unknown): CallOutcome {
    if (!(error instanceof ToolFailure))
      this.#deps.report(`the tool ${row.name} failed with an internal error`, withoutWords(error));
    return { state: 'failed', said: wordsOf(error), isError: true };
  }
}

function toOutcome({ text, isError = false }: ToolOutput): CallOutcome {
  return { state: isError ? 'failed' : 'complete', said: text, isError };
}

const TIMED_OUT: CallOutcome = { state: 'failed', said: say('call.timedOut'), isError: true };

interface Terms extends CallTerms {
  signal: AbortSignal;
}

/** A person who is asked is shown where the call would work. */
async function withFolder(plan: Plan): Promise<Plan> {
  const { row, tool, asks } = plan;
  if (!asks || !tool?.workingFolder) return plan;
  try {
    return { ...plan, folder: await tool.workingFolder(workingOf(row)) };
  } catch (error) {
    return refusedFor(plan, error);
  }
}

/** The person is not asked about what will not be carried out. */
function refusedFor({ row, tool }: Plan, error: unknown): Plan {
  if (!(error instanceof ToolFailure)) throw error;
  return { row, tool, refused: ['failed', error.message] };
}

function workingOf({ agent_id: agentId, session_id: sessionId }: ToolCallRow): Working {
  return { agentId, sessionId };
}

/** Null when the folder is gone. */
async function folderNow(tool: Tool, row: ToolCallRow): Promise<string | null> {
  try {
    return (await tool.workingFolder?.(workingOf(row))) ?? null;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

const FOLDER_CHANGED = say('call.folderChanged');

const UNKNOWN_OUTCOME = say('call.unknown');
const CHANGED_SINCE = say('call.effectChanged');
const CALLER_LEFT = say('call.callerLeft');
const CALLER_GONE = say('call.callerGone');

function toSpoken({ id, name, input, output, is_error }: ToolCallRow): SpokenCall {
  return { callId: id, name, input, result: output === null ? null : { output, isError: is_error === 1 } };
}
