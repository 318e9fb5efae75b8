import type {
  Action,
  ActionKind,
  ActionList,
  ActionState,
  AnswerAction,
  ApprovalRequest,
  ChainLink,
  Decision,
  Question,
  TrippedLimit,
} from '../../contract/actions.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import type { TurnError } from '../../contract/turns.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import { toTime } from '../sessions/views.ts';
import { insertAudit } from '../storage/audit.ts';
import type { ActionRow, SessionRow } from '../storage/tables.ts';
import { ActionDeadlines } from './action-deadlines.ts';
import {
  addExtension,
  insertAction,
  insertGrant,
  loadAction,
  selectActions,
  selectExpiring,
  selectOpenActionsOfTurn,
  selectOpenFailures,
  settleOpenAction,
} from './action-store.ts';
import { checkAnswer, withDefaults } from './answers.ts';
import { findTurn, loadSessionRow } from './store.ts';

/** What is asked, by which agent, on whose behalf. */
export interface ActionRequest {
  kind: ActionKind;
  title: string;
  turnId: string;
  agentId: string;
  chain: readonly ChainLink[];
  callId?: string;
  detail: ActionDetail;
}

export interface ActionDetail {
  approval?: ApprovalRequest;
  question?: Question;
  limit?: TrippedLimit;
  failure?: Pick<TurnError, 'code' | 'message' | 'text'>;
  /** Of what an agent asks itself: what the agent calls it. */
  askedAs?: string;
}

/** What came of an action. */
export interface Settled {
  state: Exclude<ActionState, 'open'>;
  answer: AnswerAction | null;
}

interface Waiting {
  actionId: string;
  resolve: (settled: Settled) => void;
}

/** What waits for a person. Rows are the truth; waiting calls in this process are told when one is settled. */
export class Actions {
  readonly #log: EventLog;
  readonly #expireAfterSeconds: () => number | null;
  readonly #deadlines = new ActionDeadlines();
  /** Several calls of one turn may wait for the same answer. */
  readonly #waiting = new Set<Waiting>();

  constructor(log: EventLog, expireAfterSeconds: () => number | null) {
    this.#log = log;
    this.#expireAfterSeconds = expireAfterSeconds;
  }

  /** In the caller's transaction; the caller saves the session. */
  async open(tx: Tx, session: SessionRow, request: ActionRequest): Promise<ActionRow> {
    const seconds = request.kind === 'failure' ? null : this.#expireAfterSeconds();
    const row: ActionRow = {
      id: newId(tx.now),
      owner: session.owner,
      kind: request.kind,
      state: 'open',
      title: request.title,
      session_id: session.id,
      turn_id: request.turnId,
      agent_id: request.agentId,
      call_id: request.callId ?? null,
      chain: JSON.stringify(request.chain),
      detail: JSON.stringify(request.detail),
      answer: null,
      created_at: tx.now,
      settled_at: null,
      expires_at: seconds === null ? null : tx.now + seconds * 1000,
    };
    await insertAction(tx.db, row);
    if (seconds !== null) tx.afterwards.push(() => this.#deadlines.begin(row.id, seconds));
    tx.append(session, { type: 'action.opened', action: toAction(row) });
    return row;
  }

  /** The outcome of an action, also when it was settled before this call; rejects with the signal's reason. */
  async settled(owner: string, actionId: string, signal: AbortSignal): Promise<Settled> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Settled>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const waiting = { actionId, resolve };
    this.#waiting.add(waiting);
    // Listens first and looks then, so that no answer falls in between.
    const known = loadAction(this.#log.db, owner, actionId).then((action) => {
      if (action.state !== 'open') resolve(toSettled(action));
    }, reject);
    try {
      return await promise;
    } finally {
      await known;
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', leave);
    }
  }

  async list(owner: string, query: { state: ActionState; session?: string | undefined; limit: number }) {
    if (query.session) await loadSession(this.#log.db, owner, query.session);
    const rows = await selectActions(this.#log.db, owner, query);
    return { actions: rows.map(toAction) } satisfies ActionList;
  }

  async get(owner: string, id: string): Promise<Action> {
    return toAction(await loadAction(this.#log.db, owner, id));
  }

  /** An action is answered once; a second answer is refused. `alsoWrite` runs in the same transaction. */
  async answer(
    owner: string,
    id: string,
    given: AnswerAction,
    requestId: string | null,
    alsoWrite?: (tx: Tx, action: ActionRow) => Promise<void>,
  ): Promise<Action> {
    const row = await this.#log.write(async (tx) => {
      const action = await loadAction(tx.db, owner, id);
      assertOpen(action);
      const answer = withDefaults(toAction(action), given);
      checkAnswer(toAction(action), answer);
      await this.#settleIn(tx, action, { state: 'answered', answer });
      await keepPromise(tx, action, answer.decision);
      await alsoWrite?.(tx, action);
      const detail = `${action.kind} ${answer.decision} ${titleOf(action)}`;
      await insertAudit(tx.db, { owner, action: 'action.answer', object: id, detail, request_id: requestId });
      return action;
    });
    reach('action.answered');
    this.#tell(row);
    return toAction(row);
  }

  /** Only by the policy in the configuration. */
  async expire(): Promise<number> {
    const expired = await this.#log.write(async (tx) => {
      const actions = this.#deadlines.overdue(await selectExpiring(tx.db));
      for (const action of actions) await this.#settleIn(tx, action, { state: 'expired', answer: null });
      return actions;
    });
    for (const action of expired) this.#tell(action);
    return expired.length;
  }

  async #settleIn(tx: Tx, action: ActionRow, settled: Settled): Promise<void> {
    const session = await loadSessionRow(tx.db, action.session_id);
    if (!session) throw new AppError('action_not_found', say('action_not_found', { id: action.id }));
    await settleIn(tx, session, action, settled);
    await saveSession(tx.db, session);
  }

  #tell(action: ActionRow): void {
    for (const { actionId, resolve } of this.#waiting) if (actionId === action.id) resolve(toSettled(action));
  }
}

function toSettled({ state, answer }: ActionRow): Settled {
  return { state: state as Settled['state'], answer: answer === null ? null : JSON.parse(answer) };
}

/** What they were about is over. The caller saves the session. */
export async function withdrawActions(tx: Tx, session: SessionRow, turnId: string): Promise<void> {
  for (const action of await selectOpenActionsOfTurn(tx.db, turnId)) {
    if (action.kind !== 'failure') await settleIn(tx, session, action, { state: 'withdrawn', answer: null });
  }
}

/** The same with what failed, for a turn that is about to be deleted. */
export async function withdrawEverything(tx: Tx, session: SessionRow, turnId: string): Promise<void> {
  for (const action of await selectOpenActionsOfTurn(tx.db, turnId))
    await settleIn(tx, session, action, { state: 'withdrawn', answer: null });
}

/** No call waits for this action any more. The caller saves the session. */
export async function withdrawAction(tx: Tx, session: SessionRow, actionId: string): Promise<void> {
  const action = await loadAction(tx.db, session.owner, actionId);
  if (action.state === 'open') await settleIn(tx, session, action, { state: 'withdrawn', answer: null });
}

/** A session that continues needs no retry of what failed before. */
export async function withdrawFailures(tx: Tx, session: SessionRow): Promise<void> {
  for (const action of await selectOpenFailures(tx.db, session.id))
    await settleIn(tx, session, action, { state: 'withdrawn', answer: null });
}

async function settleIn(tx: Tx, session: SessionRow, action: ActionRow, { state, answer }: Settled): Promise<void> {
  Object.assign(action, { state, answer: answer && JSON.stringify(answer), settled_at: tx.now });
  if (!(await settleOpenAction(tx.db, action))) throw settledAlready(action);
  tx.append(session, { type: 'action.settled', action: toAction(action) });
}

function assertOpen(action: ActionRow): void {
  if (action.state !== 'open') throw settledAlready(action);
}

function settledAlready(action: ActionRow): AppError {
  const answer = action.answer === null ? null : (JSON.parse(action.answer) as AnswerAction);
  const how = answer ? `${action.state} (${answer.decision})` : action.state;
  return new AppError('action_settled', say('action_settled', { how }));
}

/** What an answer means beyond this once, in the transaction that records it. */
async function keepPromise(tx: Tx, action: ActionRow, decision: Decision): Promise<void> {
  const { approval, limit }: ActionDetail = JSON.parse(action.detail);
  if (approval && (decision === 'session' || decision === 'always')) {
    const sessionId = decision === 'session' ? action.session_id : null;
    await insertGrant(tx.db, newId(tx.now), action.owner, action.agent_id, grantName(approval), sessionId, tx.now);
  }
  if (limit && decision === 'continue') {
    const turn = await findTurn(tx.db, action.turn_id);
    await addExtension(tx.db, turn?.root_turn_id ?? action.turn_id, limit.limit, extra(limit));
  }
}

/** A tool that an agent runs itself may have the name of one of Parley's; a standing approval is for one of the two. */
export function grantName({ tool, source }: Pick<ApprovalRequest, 'tool' | 'source'>): string {
  return source.kind === 'agent' ? `agent:${tool}` : tool;
}

/** As much again, and at least what was wanted. */
function extra({ allowed, wanted }: TrippedLimit): number {
  return Math.max(allowed, wanted - allowed, 1);
}

function titleOf(action: ActionRow): string {
  const { approval, limit }: ActionDetail = JSON.parse(action.detail);
  return approval?.tool ?? limit?.limit ?? action.agent_id;
}

export function toAction(row: ActionRow): Action {
  const { approval, question, limit, failure }: ActionDetail = JSON.parse(row.detail);
  return {
    id: row.id,
    kind: row.kind as ActionKind,
    state: row.state as ActionState,
    title: row.title,
    sessionId: row.session_id,
    turnId: row.turn_id,
    agentId: row.agent_id,
    chain: JSON.parse(row.chain),
    // Approvals that were stored before folders were bound have none.
    approval: approval ? { ...approval, folder: approval.folder ?? null } : null,
    question: question ?? null,
    limit: limit ?? null,
    failure: failure ?? null,
    answer: row.answer === null ? null : JSON.parse(row.answer),
    createdAt: toTime(row.created_at),
    settledAt: toTime(row.settled_at),
    expiresAt: toTime(row.expires_at),
  };
}
