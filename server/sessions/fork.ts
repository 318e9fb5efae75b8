import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { ForkSession, Session } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { CompactionRow, SessionRow } from '../storage/tables.ts';
import { withoutScratch } from './attributes.ts';
import { lineTo } from './branches.ts';
import { removeDetached, writeDetached } from './detached.ts';
import { deleteDetachedMark } from './detached-store.ts';
import {
  copyFiles,
  insertCompaction,
  type MessagePosition,
  type StoredMessage,
  selectCompactions,
  selectMessagesById,
  selectPositions,
} from './message-store.ts';
import { insertMessages } from './search-index-store.ts';
import { announce, createSession } from './sessions.ts';
import { addSessionAgent, loadSession } from './store.ts';
import { newestSnippet } from './views.ts';

const ATTEMPTS = 3;
const BATCH = 100;
/** Looked through for something to show of the session. */
const NEWEST = 20;

/**
 * A new session with everything up to a message: the same words, speakers and times under new ids. It is written piece by
 * piece and is there once it is complete. When messages of the source are deleted meanwhile, it is begun again.
 */
export async function forkSession(
  log: EventLog,
  owner: string,
  sessionId: string,
  wanted: ForkSession,
): Promise<Session> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const copy = await planCopy(log, owner, sessionId, wanted.messageId);
    const fork = await writeFork(log, owner, copy, wanted).catch((error) => giveUp(log, copy, error));
    if (fork) return fork;
    await removeDetached(log, [copy.id]);
  }
  throw new AppError('session_busy', say('session_busy.branch'));
}

async function giveUp(log: EventLog, { id }: Copy, error: unknown): Promise<never> {
  await removeDetached(log, [id]).catch(() => undefined);
  throw error;
}

/** What is copied, and what becomes of it. */
interface Copy {
  /** Of the new session. */
  readonly id: string;
  readonly source: SessionRow;
  readonly taken: readonly MessagePosition[];
  readonly newIds: Map<string, string>;
  /** Those that stand for nothing but what is copied; messages of the others are whole again. */
  readonly compactions: readonly CompactionRow[];
  readonly speakers: Set<string>;
  readonly newest: StoredMessage[];
}

async function planCopy(log: EventLog, owner: string, sessionId: string, messageId: string | undefined): Promise<Copy> {
  const reading = log.db.transaction().setAccessMode('read only');
  return reading.execute(async (tx) => {
    const source = await loadSession(tx, owner, sessionId);
    const taken = takeAlong(await selectPositions(tx, sessionId), messageId);
    const places = new Map(taken.map(({ id }, index) => [id, index + 1]));
    const compactions = (await selectCompactions(tx, sessionId)).filter((one) => places.has(one.last_message_id));
    for (const one of compactions) one.upto_seq = places.get(one.last_message_id)!;
    return { id: newId(), source, taken, newIds: new Map(), compactions, speakers: new Set(), newest: [] };
  });
}

/** The branch being shown, or, for a message on any branch, that message and everything before it. */
function takeAlong(all: readonly MessagePosition[], messageId: string | undefined): MessagePosition[] {
  if (messageId === undefined) return all.filter((row) => row.on_path === 1);
  const message = all.find((row) => row.id === messageId);
  if (!message) throw new AppError('message_not_found', say('message_not_found', { id: messageId }));
  return lineTo(all, message);
}

/** Null: what is copied has changed. */
async function writeFork(log: EventLog, owner: string, copy: Copy, wanted: ForkSession): Promise<Session | null> {
  const compactionIds = new Map(copy.compactions.map(({ id }) => [id, newId()]));
  const batches = Array.from({ length: Math.ceil(copy.taken.length / BATCH) }, (_, index) => index * BATCH);
  await writeDetached(log, copy.id, batches, (tx, start) => copyBatch(tx, copy, compactionIds, start));
  return log.write(async (tx) => {
    const source = await loadSession(tx.db, owner, copy.source.id);
    if (source.event_floor !== copy.source.event_floor) return null;
    for (const row of copy.compactions) await insertCompaction(tx.db, toCopied(row, copy, compactionIds));
    await deleteDetachedMark(tx.db, copy.id);
    const fork = await createFork(tx, owner, copy, wanted);
    await completeFork(tx, fork, copy);
    return announce(tx, fork);
  });
}

function toCopied(row: CompactionRow, { id, newIds }: Copy, compactionIds: ReadonlyMap<string, string>): CompactionRow {
  const last_message_id = newIds.get(row.last_message_id)!;
  return { ...row, usage: null, id: compactionIds.get(row.id)!, session_id: id, last_message_id };
}

async function copyBatch(tx: Tx, copy: Copy, compactionIds: ReadonlyMap<string, string>, start: number): Promise<void> {
  const ids = copy.taken.slice(start, start + BATCH).map(({ id }) => id);
  const rows = await selectMessagesById(tx.db, copy.source.id, ids);
  for (const id of ids) copy.newIds.set(id, newId());
  const copies = rows.map(({ rid: _, ...row }, index) => ({
    ...row,
    id: copy.newIds.get(row.id)!,
    session_id: copy.id,
    seq: start + index + 1,
    parent_id: copy.newIds.get(copy.taken[start + index - 1]?.id ?? '') ?? null,
    turn_id: null,
    request_hash: null,
    on_path: 1,
    compaction_id: (row.compaction_id && compactionIds.get(row.compaction_id)) || null,
  }));
  await insertMessages(tx.db, copies);
  for (const [index, row] of rows.entries()) if (row.parts) await copyFiles(tx.db, row.id, copies[index]!);
  for (const { agent_id } of rows) if (agent_id) copy.speakers.add(agent_id);
  copy.newest.splice(0, copy.newest.length, ...[...copy.newest, ...rows].slice(-NEWEST));
}

function createFork(tx: Tx, owner: string, { id, source, taken }: Copy, wanted: ForkSession): Promise<SessionRow> {
  const last = taken.at(-1);
  return createSession(tx, owner, {
    id,
    sender: source.sender,
    ...(source.agent_id && { agentId: source.agent_id }),
    ...(wanted.name && { name: wanted.name }),
    ...(source.folder && { folder: source.folder }),
    attributes: withoutScratch(JSON.parse(source.attributes)),
    mode: source.mode,
    ...(source.workspace && { workspace: JSON.parse(source.workspace) }),
    ...(source.team && { team: JSON.parse(source.team) }),
    ...(last && { forkedFrom: { sessionId: source.id, messageId: last.id } }),
  });
}

async function completeFork(
  tx: Tx,
  fork: SessionRow,
  { source, taken, newIds, speakers, newest }: Copy,
): Promise<void> {
  for (const speaker of speakers) await addSessionAgent(tx.db, fork.id, speaker, tx.now);
  const last = taken.at(-1);
  Object.assign(fork, {
    head_id: (last && newIds.get(last.id)) ?? null,
    message_seq: taken.length,
    message_count: taken.length,
    title: source.title,
    ...newestSnippet(newest),
    agents: JSON.stringify([...speakers]),
    status: taken.length > 0 ? 'active' : 'idle',
  });
}
