import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { DEFAULT_SENDER, Id } from '../../contract/names.ts';
import type {
  Attributes,
  CreateSession,
  PatchSession,
  ResolvedSession,
  Session,
  SessionList,
  SessionListQuery,
} from '../../contract/sessions.ts';
import type { SessionTeam } from '../../contract/teams.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { newestPosition } from '../events/store.ts';
import { readCursor, writeCursor } from '../storage/cursor.ts';
import type { SessionRow } from '../storage/tables.ts';
import { mergeAttributes } from './attributes.ts';
import { detachContents } from './detached-store.ts';
import {
  addSessionAgent,
  deleteSessionContents,
  detachSession,
  findLatestSession,
  findSessionByKey,
  findSessionByName,
  insertSession,
  isSessionIdTaken,
  lastNumberOf,
  loadSession,
  saveSession,
  selectBusyOf,
  selectMadeFor,
  selectSessions,
  selectWithDescendants,
} from './store.ts';
import { toSession } from './views.ts';

export interface NewSession extends Omit<CreateSession, 'templateId' | 'teamId'> {
  /** The team with which it begins. */
  team?: SessionTeam;
  /** Addressed by (agent, sender) from now on. */
  keyAgentId?: string;
  type?: Session['type'];
  /** Else made from the first message. */
  title?: string;
  parentSessionId?: string;
  /** Made by an agent of this session to give work to another. */
  delegatedFrom?: string;
  forkedFrom?: { sessionId: string; messageId: string };
}

/** What a person does with sessions. Turns are elsewhere: nothing here starts one. */
export class Sessions {
  readonly #log: EventLog;
  /** Rejects for a folder in which agents must not work. */
  readonly #checkFolder: (folder: string) => Promise<unknown>;

  constructor(log: EventLog, checkFolder: (folder: string) => Promise<unknown>) {
    this.#log = log;
    this.#checkFolder = checkFolder;
  }

  async create(owner: string, wanted: NewSession): Promise<Session> {
    if (wanted.workspace) await this.#checkFolder(wanted.workspace.folder);
    return this.#log.write(async (tx) => toSession(await createSession(tx, owner, wanted)));
  }

  async get(owner: string, id: string): Promise<Session> {
    return toSession(await loadSession(this.#log.db, owner, id));
  }

  async list(owner: string, query: SessionListQuery): Promise<SessionList> {
    const position = await newestPosition(this.#log.db);
    const after = query.cursor === undefined ? undefined : placeOf(query.cursor);
    const rows = await selectSessions(this.#log.db, owner, query, { limit: query.limit + 1, ...(after && { after }) });
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    return {
      sessions: page.map(toSession),
      next: rows.length > query.limit && last ? writeCursor([last.last_activity_at, last.id]) : null,
      position,
    };
  }

  /** `latest`, `create`, `latest-or-create`, or an id that must exist and belong to the agent. */
  async resolve(owner: string, strategy: string, agentId: string): Promise<ResolvedSession> {
    return this.#log.write(async (tx) => {
      const found = await this.#findByStrategy(tx, owner, strategy, agentId);
      if (found) return { session: toSession(found), created: false };
      return { session: toSession(await createSession(tx, owner, { agentId })), created: true };
    });
  }

  async #findByStrategy(tx: Tx, owner: string, strategy: string, agentId: string): Promise<SessionRow | undefined> {
    if (strategy === 'create') return undefined;
    if (strategy !== 'latest' && strategy !== 'latest-or-create') {
      const session = await loadSession(tx.db, owner, strategy);
      if (session.agent_id === agentId) return session;
      throw new AppError('session_not_found', say('session_not_found.agent', { id: strategy, agent: agentId }));
    }
    const latest = await findLatestSession(tx.db, owner, agentId);
    if (!latest && strategy === 'latest')
      throw new AppError('session_not_found', say('session_not_found.none', { agent: agentId }));
    return latest;
  }

  /** The session of (agent, sender), made when it is not there yet. */
  async openByKey(owner: string, agentId: string, sender: string): Promise<Session> {
    return this.#log.write(async (tx) => {
      const found = await findSessionByKey(tx.db, owner, agentId, sender);
      return toSession(found ?? (await createSession(tx, owner, { agentId, sender, keyAgentId: agentId })));
    });
  }

  /** Where something runs or waits: in the session addressed by (agent, sender), and in others that have both. */
  async busyIdsOf(owner: string, agentId: string, sender: string): Promise<string[]> {
    return (await selectBusyOf(this.#log.db, owner, sender, agentId)).map(({ id }) => id);
  }

  async rename(owner: string, id: string, name: string): Promise<Session> {
    return this.#log.write((tx) => assignName(tx, owner, id, name));
  }

  async patch(owner: string, id: string, patch: PatchSession): Promise<Session> {
    if (patch.workspace) await this.#checkFolder(patch.workspace.folder);
    return this.#change(owner, id, async (session, tx) => {
      if (patch.agentId !== undefined) await setPrimary(tx, session, patch.agentId);
      if (patch.folder !== undefined) session.folder = patch.folder;
      if (patch.mode !== undefined) session.mode = patch.mode;
      if (patch.workspace !== undefined) session.workspace = patch.workspace && JSON.stringify(patch.workspace);
      if (patch.attributes !== undefined) session.attributes = mergeInto(session.attributes, patch.attributes);
    });
  }

  setPinned(owner: string, id: string, pinned: boolean): Promise<Session> {
    return this.#change(owner, id, async (session, tx) => {
      session.pinned_at = pinned ? (session.pinned_at ?? tx.now) : null;
    });
  }

  setArchived(owner: string, id: string, archived: boolean): Promise<Session> {
    return this.#change(owner, id, async (session, tx) => {
      session.archived_at = archived ? (session.archived_at ?? tx.now) : null;
    });
  }

  /** Reading is not activity: the session keeps its place in the list. */
  markRead(owner: string, id: string): Promise<Session> {
    return this.#log.write(async (tx) => {
      const session = await loadSession(tx.db, owner, id);
      if (session.unread_count === 0) return toSession(session);
      session.unread_count = 0;
      return announce(tx, session);
    });
  }

  #change(owner: string, id: string, apply: (session: SessionRow, tx: Tx) => Promise<void>): Promise<Session> {
    return this.#log.write(async (tx) => {
      const session = await loadSession(tx.db, owner, id);
      await apply(session, tx);
      session.updated_at = tx.now;
      return announce(tx, session);
    });
  }
}

export async function createSession(tx: Tx, owner: string, wanted: NewSession): Promise<SessionRow> {
  assertSessionId(wanted.id);
  if (wanted.id && (await isSessionIdTaken(tx.db, wanted.id))) {
    throw new AppError('session_id_taken', say('session_id_taken', { id: wanted.id }));
  }
  if (wanted.name && (await findSessionByName(tx.db, owner, wanted.name))) throw nameTaken(wanted.name);
  const session = newRow(owner, wanted, tx.now);
  // An id that is used again counts on, so that no cursor of the session before it fits the new one.
  if (wanted.id) session.event_seq = session.event_floor = await lastNumberOf(tx.db, wanted.id);
  tx.append(session, { type: 'session.created', session: { ...toSession(session), lastSeq: session.event_seq + 1 } });
  await insertSession(tx.db, session);
  if (session.agent_id) await addSessionAgent(tx.db, session.id, session.agent_id, null);
  return session;
}

/** Checked here as well as by every way in: folders are named after sessions. */
function assertSessionId(id: string | undefined): void {
  if (id !== undefined && !Id.safeParse(id).success)
    throw new AppError('invalid_request', say('invalid_request.sessionId'));
}

function newRow(owner: string, wanted: NewSession, now: number): SessionRow {
  return {
    id: wanted.id ?? newId(now),
    owner,
    type: wanted.type ?? 'conversation',
    status: 'idle',
    agent_id: wanted.agentId ?? null,
    key_agent_id: wanted.keyAgentId ?? null,
    sender: wanted.sender ?? DEFAULT_SENDER,
    name: wanted.name ?? null,
    title: wanted.title ?? null,
    folder: wanted.folder ?? null,
    parent_session_id: wanted.parentSessionId ?? null,
    forked_from_session_id: wanted.forkedFrom?.sessionId ?? null,
    forked_from_message_id: wanted.forkedFrom?.messageId ?? null,
    head_id: null,
    message_seq: 0,
    event_seq: 0,
    event_floor: 0,
    message_count: 0,
    queued_count: 0,
    unread_count: 0,
    snippet: '',
    snippet_speaker: null,
    agents: '[]',
    attributes: mergeInto('{}', wanted.attributes ?? {}),
    pinned_at: null,
    archived_at: null,
    created_at: now,
    updated_at: now,
    last_activity_at: now,
    working_for_session_id: null,
    delegated_from_session_id: wanted.delegatedFrom ?? null,
    mode: wanted.mode ?? 'full',
    workspace: wanted.workspace ? JSON.stringify(wanted.workspace) : null,
    team: wanted.team ? JSON.stringify(wanted.team) : null,
  };
}

export async function setPrimary(tx: Tx, session: SessionRow, agentId: string | null): Promise<void> {
  session.agent_id = agentId;
  if (agentId) await addSessionAgent(tx.db, session.id, agentId, null);
}

/** Saves a changed session and appends the event that shows its new state. */
export async function announce(tx: Tx, session: SessionRow): Promise<Session> {
  tx.append(session, { type: 'session.updated', session: { ...toSession(session), lastSeq: session.event_seq + 1 } });
  await saveSession(tx.db, session);
  return toSession(session);
}

/** Names are unique among an owner's sessions. */
export async function assignName(tx: Tx, owner: string, id: string, name: string): Promise<Session> {
  const session = await loadSession(tx.db, owner, id);
  const holder = await findSessionByName(tx.db, owner, name);
  if (holder && holder.id !== id) throw nameTaken(name);
  session.name = name;
  session.updated_at = tx.now;
  return announce(tx, session);
}

/** The caller has ended the delegations that lead into and out of the session. */
export async function clearSession(tx: Tx, session: SessionRow): Promise<void> {
  await deleteSessionContents(tx.db, session);
  session.event_floor = session.event_seq;
  Object.assign(session, { head_id: null, message_count: 0, queued_count: 0, unread_count: 0, title: null });
  Object.assign(session, {
    working_for_session_id: null,
    snippet: '',
    snippet_speaker: null,
    agents: '[]',
    status: 'idle',
    updated_at: tx.now,
    last_activity_at: tx.now,
  });
  if (session.agent_id) await addSessionAgent(tx.db, session.id, session.agent_id, null);
  tx.append(session, { type: 'session.cleared' });
  await saveSession(tx.db, session);
}

/**
 * Takes away a session with every session that was opened for it. The caller has ended the delegations that lead into and
 * out of them. Returns the sessions that are gone: their turns have to be stopped, and what is left of them removed.
 */
export async function removeSession(tx: Tx, { id, owner }: SessionRow): Promise<string[]> {
  const gone = (await selectWithDescendants(tx.db, id)).reverse();
  for (const sessionId of gone) {
    const session = await loadSession(tx.db, owner, sessionId);
    await detachSession(tx.db, session);
    await detachContents(tx.db, session.id, session.event_seq);
    tx.append(session, { type: 'session.deleted' });
  }
  await releaseMadeFor(tx, gone);
  return gone;
}

/** Remaining sessions that were made for work of the deleted ones now belong to the person, or to another caller. */
async function releaseMadeFor(tx: Tx, gone: readonly string[]): Promise<void> {
  for (const { other_caller, ...session } of await selectMadeFor(tx.db, JSON.stringify(gone)))
    await announce(tx, { ...session, delegated_from_session_id: other_caller });
}

function nameTaken(name: string): AppError {
  return new AppError('session_name_taken', say('session_name_taken', { name }));
}

function mergeInto(stored: string, changes: Attributes): string {
  return JSON.stringify(mergeAttributes(JSON.parse(stored), changes));
}

const Place = z.tuple([z.number(), z.string()]);

function placeOf(cursor: string): { lastActivityAt: number; id: string } {
  const [lastActivityAt, id] = readCursor(Place, cursor);
  return { lastActivityAt, id };
}
