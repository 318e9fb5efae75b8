import type { ChainLink } from '../../contract/actions.ts';
import type { NotifyMode } from '../../contract/delegation.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import type { Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { isBusy } from '../sessions/branches.ts';
import type { NewSession } from '../sessions/sessions.ts';
import { findSession, saveSession } from '../sessions/store.ts';
import { insertAudit } from '../storage/audit.ts';
import type { DelegationRow, SessionRow, TurnRow } from '../storage/tables.ts';
import { acceptMessage } from '../turns/accept.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { findTurn, loadSessionRow } from '../turns/store.ts';
import type { TurnDeps } from '../turns/turn-deps.ts';
import { toDelegation } from './deliver.ts';
import { assertRoom, DelegationRefused } from './policy.ts';
import { sessionReach } from './session-reach.ts';
import { findLatestForDelegation, hasDelegatedTo, insertDelegation } from './store.ts';

export interface DelegatedMessage {
  to: string;
  content: string;
  /** `latest`, `create`, `latest-or-create` or a session's id. */
  session: string;
  mode: 'sync' | 'async';
  notify: NotifyMode;
  via: 'tool' | 'background';
  /** Null where the agent itself has begun the work. */
  callId: string | null;
  /** Of a session that is made for it. */
  newSession?: NewSession;
  messageId?: string;
}

/** Puts a task and the agent that gave it into another agent's session, in one transaction. */
export async function sendDelegated(
  deps: TurnDeps,
  running: RunningTurn,
  message: DelegatedMessage,
): Promise<DelegationRow> {
  const place = await findTarget(deps, running, message);
  let written: DelegationRow | undefined;
  reach('delegation.before-accept');
  try {
    await acceptMessage(deps, {
      owner: running.owner,
      ...place,
      messageId: message.messageId,
      content: message.content,
      busy: 'queue',
      work: {
        from: running.turn.agent_id,
        to: message.to,
        parentTurnId: running.id,
        rootTurnId: running.rootTurnId,
        alsoWrite: async (tx, session, turn) => {
          if (message.via === 'tool') await assertRoom(deps, running, tx);
          written = await writeDelegation(tx, running, {
            message: message,
            session,
            turn,
            isNew: place.create !== undefined,
          });
        },
      },
    });
  } catch (error) {
    throw asRefusal(error);
  }
  reach('delegation.accepted');
  return written!;
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const known = ['session_not_found', 'queue_full', 'message_too_large', 'agent_not_found'] as const;
  const code = known.find((one) => one === error.code);
  return code ? new DelegationRefused(code, error.message, error.text) : error;
}

async function findTarget(
  deps: TurnDeps,
  running: RunningTurn,
  { to, session, newSession }: DelegatedMessage,
): Promise<{ sessionId: string; create?: NewSession }> {
  const create = { sessionId: newId(), create: newSession ?? { agentId: to, delegatedFrom: running.turn.session_id } };
  if (session === 'create') return create;
  const busy = running.chain.map((link) => link.sessionId);
  if (session === 'latest' || session === 'latest-or-create') {
    const latest = await findLatestForDelegation(deps.log.db, running.owner, to, busy);
    // What is busy may itself wait for the other server that this message comes from: the chain ends where a server does.
    const mayBeCircle = running.turn.hops > 0 && latest !== undefined && isBusy(latest);
    if (latest && !(mayBeCircle && session === 'latest-or-create')) return { sessionId: latest.id };
    if (session === 'latest-or-create') return create;
    throw new DelegationRefused('session_not_found', say('delegation.noSession', { id: to }));
  }
  return { sessionId: await findNamed(deps, running, to, session) };
}

/** A session of the agent that the caller may read, or to which it has delegated before. Others are not found. */
async function findNamed(deps: TurnDeps, running: RunningTurn, to: string, session: string): Promise<string> {
  const found = await findSession(deps.log.db, running.owner, session);
  if (found?.agent_id !== to || found.type !== 'conversation' || !(await isOpenTo(deps, running, found)))
    throw new DelegationRefused('session_not_found', say('delegation.sessionNotFound', { id: to, session }));
  if (running.chain.some((link) => link.sessionId === session))
    throw new DelegationRefused('session_in_chain', say('delegation.sessionInChain', { session }));
  return session;
}

async function isOpenTo(deps: TurnDeps, running: RunningTurn, session: SessionRow): Promise<boolean> {
  const { id: turnId, turn } = running;
  const forDelegation = session.delegated_from_session_id !== null;
  if (forDelegation && (await hasDelegatedTo(deps.log.db, turn.agent_id, session.id))) return true;
  const caller = { agentId: turn.agent_id, sessionId: turn.session_id, turnId };
  return (await sessionReach(deps, 'sessions_read', caller)).covers(session);
}

interface Written {
  message: DelegatedMessage;
  session: SessionRow;
  turn: TurnRow;
  isNew: boolean;
}

async function writeDelegation(tx: Tx, running: RunningTurn, written: Written): Promise<DelegationRow> {
  const { message, session, turn } = written;
  await assertStillWanted(tx, running);
  const row = toRow(tx, running, written);
  await insertDelegation(tx.db, row);
  if (message.mode === 'async') session.working_for_session_id = running.turn.session_id;
  const parent = await loadSessionRow(tx.db, running.turn.session_id);
  if (parent) {
    tx.append(parent, { type: 'delegation.started', delegation: toDelegation(row, turn) });
    await saveSession(tx.db, parent);
  }
  const detail = `${row.from_agent} → ${row.to_agent} (${row.via}, ${row.mode})`;
  await insertAudit(tx.db, { owner: running.owner, action: 'delegation', object: turn.id, detail, request_id: null });
  return row;
}

/** A caller that was stopped while it was asking asks no more. */
async function assertStillWanted(tx: Tx, running: RunningTurn): Promise<void> {
  const caller = await findTurn(tx.db, running.id);
  if (!caller || caller.ended_at !== null || running.stop)
    throw new DelegationRefused('no_turn', say('delegation.turnEnded'));
}

function toRow(tx: Tx, running: RunningTurn, { message, session, turn, isNew }: Written): DelegationRow {
  return delegationRow(tx, running, {
    turn_id: turn.id,
    session_id: session.id,
    call_id: message.callId,
    to_agent: message.to,
    via: message.via,
    mode: message.mode,
    notify: message.notify,
    created_session: isNew ? 1 : 0,
    task: message.content,
  });
}

type Given = 'turn_id' | 'session_id' | 'call_id' | 'to_agent' | 'via' | 'mode' | 'notify' | 'created_session' | 'task';

export function delegationRow(tx: Tx, running: RunningTurn, given: Pick<DelegationRow, Given>): DelegationRow {
  const chain: readonly ChainLink[] = running.chain;
  return {
    ...given,
    parent_turn_id: running.id,
    parent_session_id: running.turn.session_id,
    from_agent: running.turn.agent_id,
    chain: JSON.stringify(chain),
    created_at: tx.now,
    delivered_at: null,
  };
}
