import { isDeepStrictEqual } from 'node:util';
import { type ApprovalReason, type ApprovalRequest, Question } from '../../contract/actions.ts';
import { ownActWords } from '../../contract/own-acts.ts';
import { say, type Text } from '../../contract/texts.ts';
import type { OwnCall, Permission, PersonAnswer } from '../agents/host-requests.ts';
import { storedClock } from '../events/clock.ts';
import type { Tx } from '../events/log.ts';
import type { ActionRow, SessionRow, ToolCallRow } from '../storage/tables.ts';
import { toOwnTool } from '../tools/scope.ts';
import { isGranted, selectAgentActions } from './action-store.ts';
import { type ActionDetail, grantName, type Settled } from './actions.ts';
import { publishProgress } from './call-context.ts';
import { CallRecords } from './call-records.ts';
import { cutBytes, newCall } from './call-rows.ts';
import { Ending } from './ending.ts';
import { OVER, type RunningTurn } from './running-turn.ts';
import type { TurnDeps } from './turn-deps.ts';
import { scopeNow } from './turn-scope.ts';
import { waitForPerson } from './waiting.ts';

/** More requests than this at once are an agent that has lost its way. */
const MAX_WAITING = 100;

/**
 * What an agent asks the person itself: permission for a tool of its own, or a question. Each is an action without a tool
 * call behind it. After a restart the agent asks again under the same id, and gets the answer to what is asked already.
 */
export class AgentRequests {
  readonly #deps: TurnDeps;
  readonly #running: RunningTurn;
  readonly #since = storedClock.now();
  readonly #over = new Ending(OVER);
  /** Actions that one request of the agent waits for or has the answer of: one answer is for one request. */
  readonly #used = new Set<string>();

  constructor(deps: TurnDeps, running: RunningTurn) {
    this.#deps = deps;
    this.#running = running;
  }

  /** What was asked before the server stopped is waited for again, whether or not the agent asks once more. */
  async takeUp(): Promise<void> {
    const { log } = this.#deps;
    for (const action of await selectAgentActions(log.db, this.#running.id))
      if (action.state === 'open') void this.#wait(action.id, async () => action).catch(() => undefined);
  }

  /** The agent has ended: it waits for nothing any more. */
  close(): void {
    this.#over.end();
  }

  async approve(call: OwnCall): Promise<Permission> {
    const before = await this.#judge(call);
    if (!('asks' in before)) return before;
    if (await this.#isGranted(call)) return { allowed: true };
    const approval = toApproval(this.#running, call, before.reason);
    const settled = await this.#ask(call.callId, { approval }, `wants to ${ownActWords(call.name)}`);
    const permission = toPermission(settled);
    const now = await this.#judge(call);
    return permission.allowed && 'allowed' in now && !now.allowed ? now : permission;
  }

  async ask(id: string, question: Question): Promise<PersonAnswer | null> {
    if (this.#running.turn.guest === 1) return null;
    const checked = Question.parse(question);
    const { answer } = await this.#ask(id, { question: checked }, `asks: ${checked.question}`);
    return answer?.decision === 'answer' ? { text: answer.text, values: answer.values } : null;
  }

  /** The same policy as for Parley's own tools: allowed, refused, or to be asked. */
  async #judge(call: OwnCall): Promise<Permission | ToBeAsked> {
    if (this.#running.turn.guest === 1) return denied(say('tools_not_allowed.own'));
    const scope = await scopeNow(this.#deps, this.#running);
    if (!scope) return denied(say('agent_gone', { id: this.#running.turn.agent_id }));
    const tool = toOwnTool(this.#running.turn.agent_id, call);
    const decision = scope.decideOwn(tool);
    if (!decision.allowed) return { allowed: false, reason: decision.reason };
    const { policy, rule, reason } = scope.approval(tool);
    if (policy === 'deny') return denied(say('call.policy', { rule }));
    return policy === 'allow' ? { allowed: true } : { asks: true, reason };
  }

  async #isGranted({ name }: OwnCall): Promise<boolean> {
    const { owner, turn, chain } = this.#running;
    const tool = grantName({ tool: name, source: { kind: 'agent', id: turn.agent_id } });
    return chain.length === 1 && isGranted(this.#deps.log.db, owner, turn.agent_id, tool, turn.session_id);
  }

  async #ask(id: string, detail: ActionDetail, what: string): Promise<Settled> {
    if (this.#running.waitsFor.size >= MAX_WAITING) throw new Error('the agent asks too much at once');
    const wanted = { ...detail, askedAs: id };
    let claimed: string | undefined;
    try {
      return await this.#wait(id, async (tx, session) => {
        const action = (await this.#find(tx, wanted)) ?? (await this.#open(tx, session, wanted, what));
        claimed = action.id;
        this.#used.add(claimed);
        return action;
      });
    } catch (error) {
      if (claimed !== undefined) this.#used.delete(claimed);
      throw error;
    }
  }

  #wait(key: string, find: (tx: Tx, session: SessionRow) => Promise<ActionRow>): Promise<Settled> {
    const signal = AbortSignal.any([this.#running.signal, this.#over.signal]);
    return waitForPerson(this.#deps, this.#running, `asked ${key}`, find, signal);
  }

  #open(tx: Tx, session: SessionRow, detail: ActionDetail, what: string): Promise<ActionRow> {
    const { turn, chain } = this.#running;
    return this.#deps.actions.open(tx, session, {
      kind: detail.approval ? 'approval' : 'question',
      title: `${turn.agent_id} ${what}`.slice(0, 200),
      turnId: turn.id,
      agentId: turn.agent_id,
      chain,
      detail,
    });
  }

  /**
   * What was asked under the same id. An agent that had to begin anew may ask the same under another id: that counts as
   * long as the person had not answered when this server took the turn up. An answer counts once.
   */
  async #find(tx: Tx, wanted: ActionDetail): Promise<ActionRow | undefined> {
    const asked = (await selectAgentActions(tx.db, this.#running.id)).filter(({ state }) => state !== 'withdrawn');
    const details = new Map(asked.map((action) => [action, JSON.parse(action.detail) as ActionDetail]));
    const fitting = asked.filter((action) => !this.#used.has(action.id) && isSame(details.get(action)!, wanted));
    const same = fitting.find((action) => details.get(action)!.askedAs === wanted.askedAs);
    return same ?? fitting.find((action) => this.#isPending(action));
  }

  #isPending({ state, settled_at }: ActionRow): boolean {
    return state === 'open' || (settled_at !== null && settled_at >= this.#since);
  }
}

interface ToBeAsked {
  readonly asks: true;
  readonly reason: ApprovalReason | undefined;
}

/** Why the person is asked may have changed while they were asked. */
function isSame(one: ActionDetail, other: ActionDetail): boolean {
  const [ours, theirs] = [one, other].map(({ approval, question }) => [{ ...approval, reason: null }, question]);
  return isDeepStrictEqual(ours, theirs);
}

function toPermission({ state, answer }: Settled): Permission {
  if (state !== 'answered' || !answer) return denied(say('call.notAnswered', { state }));
  if (answer.decision !== 'deny')
    return { allowed: true, ...(answer.input && { input: JSON.stringify(answer.input) }) };
  return denied(answer.reason ? say('call.deniedBecause', { reason: answer.reason }) : say('call.denied'));
}

function denied({ message }: Text): Permission {
  return { allowed: false, reason: message };
}

function toApproval({ turn, chain }: RunningTurn, call: OwnCall, reason?: ApprovalReason): ApprovalRequest {
  return {
    callId: null,
    tool: call.name,
    description: call.description ?? '',
    input: call.input,
    risk: call.risk,
    source: { kind: 'agent', id: turn.agent_id },
    capabilities: [],
    folder: call.folder ?? null,
    ...(reason && { reason }),
    ...(chain.length > 1 && { onceOnly: true as const }),
    ...(call.result !== undefined && { result: call.result }),
  };
}

/** More calls than this in one turn are an agent that has lost its way. The rest is not recorded. */
const MAX_CALLS = 1000;
const MAX_NAME = 256;

/**
 * The tools that an agent runs itself: rows, events and parts like those of calls that Parley carries out. `callId` is what
 * the agent calls them.
 */
export class ReportedCalls {
  readonly #deps: TurnDeps;
  readonly #running: RunningTurn;
  readonly #records: CallRecords;
  readonly #rows: Map<string, ToolCallRow>;

  constructor(deps: TurnDeps, running: RunningTurn) {
    this.#deps = deps;
    this.#running = running;
    this.#records = new CallRecords(deps, running);
    // Calls that were reported before the server stopped end in the same row.
    this.#rows = new Map(running.output.calls.flatMap((row) => (row.reported_id ? [[row.reported_id, row]] : [])));
  }

  async started({ callId, name, input }: { callId: string; name: string; input: string }): Promise<void> {
    if (!this.#running.agent?.traits.ownsTools) throw new Error('an agent without tools of its own reported a call');
    if (this.#rows.has(callId) || this.#rows.size >= MAX_CALLS) return;
    const { output, stepNumber: step } = this.#running;
    const row = newCall(this.#running.turn, {
      name: name.toWellFormed().slice(0, MAX_NAME),
      input: cutBytes(input.toWellFormed(), this.#deps.limits().toolStoredBytes),
      step,
      part: output.nextPart,
      via: 'agent',
      reportedId: callId,
    });
    await this.#records.begin([{ row, tool: undefined }]);
    this.#rows.set(callId, row);
  }

  progress({ callId, text, fraction }: { callId: string; text?: string; fraction?: number }): void {
    const row = this.#rows.get(callId);
    if (!row || row.ended_at !== null) return;
    publishProgress(this.#deps.log, this.#running.owner, row, {
      ...(text !== undefined && { text }),
      ...(fraction !== undefined && { fraction }),
    });
  }

  async ended({ callId, output, isError }: { callId: string; output: string; isError: boolean }): Promise<void> {
    const row = this.#rows.get(callId);
    if (!row || row.ended_at !== null) return;
    await this.#records.end(row, isError ? 'failed' : 'complete', output.toWellFormed(), isError);
  }
}
