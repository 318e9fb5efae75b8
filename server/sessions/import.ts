import { newId } from '../../contract/ids.ts';
import type { Part } from '../../contract/messages.ts';
import type { ExportedMessage, ExportedSession, Session } from '../../contract/sessions.ts';
import type { SessionTeam } from '../../contract/teams.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { SessionRow } from '../storage/tables.ts';
import { adoptAgentState } from './agent-state-store.ts';
import { withoutScratch } from './attributes.ts';
import { removeDetached, writeDetached } from './detached.ts';
import { deleteDetachedMark } from './detached-store.ts';
import { readImport } from './import-file.ts';
import { insertCompaction } from './message-store.ts';
import { insertMessages } from './search-index-store.ts';
import { announce, createSession } from './sessions.ts';
import { addSessionAgent, backdateSession, findSessionByName } from './store.ts';
import { newestSnippet } from './views.ts';

export interface ImportLimits {
  messageBytes: number;
}

export interface ImportOptions {
  /** Must be free; a name that only comes with the file gives way. */
  name?: string | undefined;
  limits?: ImportLimits;
  state?: AdoptedState;
  /** The same team as it is here; null: there is none. Without it, no team is kept. */
  findTeam?: (tx: Tx, team: SessionTeam) => Promise<SessionTeam | null>;
}

/** With what an agent goes on with a session that it kept elsewhere. It has seen all of it. */
export interface AdoptedState {
  agentId: string;
  token: string;
}

/** Looked through for something to show of the session. */
const NEWEST = 20;
const DEFAULT_LIMITS: ImportLimits = { messageBytes: 1_000_000 };

/**
 * A new session from a file: the same words, speakers, order, times, branches and summaries under new ids. All of it or
 * nothing. Agents are only names here; the file creates none, and nothing in it starts anything.
 */
export async function importSession(
  log: EventLog,
  owner: string,
  body: unknown,
  options: ImportOptions = {},
): Promise<Session> {
  const file = await readImport(body, (options.limits ?? DEFAULT_LIMITS).messageBytes);
  const id = newId();
  const ids = new NewIds();
  try {
    await writeDetached(log, id, batchesOf(file), (tx, start) => copyMessages(tx, id, file, ids, start));
    return await log.write((tx) => complete(tx, owner, id, file, ids, options));
  } catch (error) {
    await removeDetached(log, [id]).catch(() => undefined);
    throw error;
  }
}

const BATCH = 100;

function batchesOf({ messages }: ExportedSession): number[] {
  return Array.from({ length: Math.ceil(messages.length / BATCH) }, (_, index) => index * BATCH);
}

async function copyMessages(tx: Tx, sessionId: string, { messages }: ExportedSession, ids: NewIds, start: number) {
  const batch = messages.slice(start, start + BATCH);
  await insertMessages(
    tx.db,
    batch.map((message, index) => toRow(sessionId, message, start + index + 1, ids)),
  );
}

/** The session itself: from here on it is there, with all that was written. */
async function complete(
  tx: Tx,
  owner: string,
  id: string,
  file: ExportedSession,
  ids: NewIds,
  { name, state, findTeam }: ImportOptions,
) {
  await deleteDetachedMark(tx.db, id);
  const given = { name: name ?? (await freeName(tx, owner, file)), team: await teamOf(tx, file, findTeam) };
  const session = await createImported(tx, owner, id, file, given);
  await copyCompactions(tx, session, file, ids);
  await settle(tx, session, file, ids);
  if (state) await adopt(tx, session, state);
  return announce(tx, session);
}

function adopt(tx: Tx, { id, owner, message_seq }: SessionRow, { agentId, token }: AdoptedState): Promise<void> {
  return adoptAgentState(tx.db, owner, { session_id: id, agent_id: agentId, token, seen_seq: message_seq });
}

/** A name given in the request must be free; one that only came with the file gives way, and remains as the title. */
async function freeName(tx: Tx, owner: string, { session }: ExportedSession): Promise<string | undefined> {
  if (session.name === null) return undefined;
  return (await findSessionByName(tx.db, owner, session.name)) ? undefined : session.name;
}

/** Agents of a file are only names: who is in the team is decided here. */
async function teamOf(tx: Tx, { session }: ExportedSession, findTeam: ImportOptions['findTeam']) {
  return (session.team && (await findTeam?.(tx, session.team))) ?? undefined;
}

interface Given {
  name: string | undefined;
  team: SessionTeam | undefined;
}

async function createImported(tx: Tx, owner: string, id: string, { session }: ExportedSession, { name, team }: Given) {
  const row = await createSession(tx, owner, {
    id,
    type: session.type,
    sender: session.sender,
    attributes: withoutScratch(session.attributes),
    mode: session.mode,
    ...(session.agentId && { agentId: session.agentId }),
    ...(session.folder && { folder: session.folder }),
    ...(name && { name }),
    ...(team && { team }),
  });
  row.created_at = Date.parse(session.createdAt);
  await backdateSession(tx.db, row.id, row.created_at);
  return row;
}

/** The same new id for the same old one. Whatever the old ones are: they are only keys of a map. */
class NewIds {
  readonly #ids = new Map<string, string>();

  of(old: string): string {
    const id = this.#ids.get(old) ?? newId();
    this.#ids.set(old, id);
    return id;
  }

  ofNullable(old: string | null): string | null {
    return old === null ? null : this.of(old);
  }
}

async function copyCompactions(tx: Tx, session: SessionRow, file: ExportedSession, ids: NewIds): Promise<void> {
  const places = new Map(file.messages.map((message, index) => [message.id, index + 1]));
  for (const compaction of file.compactions) {
    await insertCompaction(tx.db, {
      id: ids.of(`compaction ${compaction.id}`),
      session_id: session.id,
      agent_id: compaction.agentId,
      summary: compaction.summary,
      archived_count: compaction.archivedCount,
      upto_seq: places.get(compaction.lastMessageId)!,
      last_message_id: ids.of(compaction.lastMessageId),
      created_at: Date.parse(compaction.createdAt),
      usage: null,
    });
  }
}

function toRow(sessionId: string, message: ExportedMessage, seq: number, ids: NewIds) {
  return {
    id: ids.of(message.id),
    session_id: sessionId,
    seq,
    parent_id: ids.ofNullable(message.parentId),
    turn_id: null,
    role: message.role,
    agent_id: message.agent,
    guest: message.guest ? 1 : 0,
    status: message.status,
    text: message.text,
    parts: isPlain(message) ? null : JSON.stringify(message.parts.map(withoutContents)),
    on_path: message.onPath ? 1 : 0,
    compaction_id: message.compactionId && ids.of(`compaction ${message.compactionId}`),
    request_hash: null,
    created_at: Date.parse(message.createdAt),
  };
}

/** A file is only told of: what its id means elsewhere is nothing here. */
function withoutContents(part: Part): Part {
  if (part.type === 'diff') return { ...part, patchId: null };
  return part.type === 'file' ? { ...part, fileId: null } : part;
}

/** Whether the text alone says it all. */
function isPlain({ text, parts }: Pick<ExportedMessage, 'text' | 'parts'>): boolean {
  return text === '' ? parts.length === 0 : parts.length === 1 && parts[0]!.type === 'text';
}

/** Its activity is that of its newest message: importing an old session does not make it a new one. */
async function settle(tx: Tx, session: SessionRow, file: ExportedSession, ids: NewIds): Promise<void> {
  const { messages } = file;
  const path = messages.filter((message) => message.onPath);
  const speakers = new Set(messages.map((message) => message.agent).filter((agent) => agent !== null));
  for (const speaker of speakers) await addSessionAgent(tx.db, session.id, speaker, tx.now);
  session.head_id = ids.ofNullable(path.at(-1)?.id ?? null);
  session.message_seq = messages.length;
  session.message_count = path.length;
  session.title = file.session.title;
  Object.assign(session, newestSnippet(path.slice(-NEWEST).map(toShown)));
  session.agents = JSON.stringify([...speakers]);
  session.status = messages.length > 0 ? 'active' : 'idle';
  const newest = messages.reduce((at, { createdAt }) => Math.max(at, Date.parse(createdAt)), session.created_at);
  session.last_activity_at = Math.min(newest, tx.now);
}

function toShown({ role, agent, text, parts }: ExportedMessage) {
  return { role, agent_id: agent, text, parts: isPlain({ text, parts }) ? null : JSON.stringify(parts) };
}
