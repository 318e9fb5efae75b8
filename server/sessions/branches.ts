import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { ForkSession, Session } from '../../contract/sessions.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { SessionRow } from '../storage/tables.ts';
import {
  copyFiles,
  insertCompaction,
  insertMessage,
  joinPath,
  leavePath,
  loadMessage,
  type StoredMessage,
  selectAllMessages,
  selectCompactions,
} from './message-store.ts';
import { announce, createSession } from './sessions.ts';
import { addSessionAgent, loadSession, saveSession } from './store.ts';
import { toSession, toSnippet } from './views.ts';

/** Shows another branch: the one a message is on, down to its newest descendant. */
export async function chooseHead(log: EventLog, owner: string, sessionId: string, messageId: string): Promise<Session> {
  return log.write(async (tx) => {
    const session = await loadSession(tx.db, owner, sessionId);
    if (isBusy(session))
      throw new AppError('session_busy', 'Stop the turn or wait for it before showing another branch.');
    const message = await loadMessage(tx.db, owner, messageId);
    if (message.session_id !== sessionId)
      throw new AppError('message_not_found', `There is no message ${messageId} here.`);
    const path = pathThrough(await selectAllMessages(tx.db, sessionId), message);
    const shared = await sharedPrefix(path);
    await leavePath(tx.db, sessionId, shared);
    await joinPath(
      tx.db,
      path.map((step) => step.id),
    );
    await moveHead(tx, session, path.at(-1)!, path.length, shared);
    return toSession(session);
  });
}

export function isBusy(session: SessionRow): boolean {
  return session.status === 'working' || session.status === 'waiting' || session.status === 'connecting';
}

async function moveHead(tx: Tx, session: SessionRow, head: StoredMessage, count: number, afterSeq: number) {
  session.head_id = head.id;
  session.message_count = count;
  session.snippet = toSnippet(head.text) || session.snippet;
  session.updated_at = tx.now;
  tx.append(session, { type: 'session.branched', afterSeq, headId: head.id });
  await saveSession(tx.db, session);
}

/** A message after its ancestors. */
function lineTo(all: StoredMessage[], message: StoredMessage): StoredMessage[] {
  const byId = new Map(all.map((row) => [row.id, row]));
  const line: StoredMessage[] = [];
  for (let step: StoredMessage | undefined = message; step; step = byId.get(step.parent_id ?? '')) line.push(step);
  return line.reverse();
}

/** Ancestors of a message, the message, and from there always the newest child. */
function pathThrough(all: StoredMessage[], message: StoredMessage): StoredMessage[] {
  const newestChild = new Map(all.filter((row) => row.parent_id).map((row) => [row.parent_id!, row]));
  const path = lineTo(all, message);
  for (let step = newestChild.get(message.id); step; step = newestChild.get(step.id)) path.push(step);
  return path;
}

/** The number of the last message that both branches have in common. */
function sharedPrefix(path: StoredMessage[]): number {
  let shared = 0;
  for (const step of path) {
    if (step.on_path !== 1) break;
    shared = step.seq!;
  }
  return shared;
}

/** A new session with everything up to a message: the same words, speakers and times under new ids. */
export async function forkSession(
  log: EventLog,
  owner: string,
  sessionId: string,
  wanted: ForkSession,
): Promise<Session> {
  return log.write(async (tx) => {
    const source = await loadSession(tx.db, owner, sessionId);
    const taken = takeAlong(await selectAllMessages(tx.db, sessionId), wanted.messageId);
    const fork = await createFork(tx, owner, source, taken, wanted);
    await copyMessages(tx, source, fork, taken);
    return announce(tx, fork);
  });
}

/** The branch being shown, or, for a message on any branch, that message and everything before it. */
function takeAlong(all: StoredMessage[], messageId: string | undefined): StoredMessage[] {
  if (messageId === undefined) return all.filter((row) => row.on_path === 1);
  const message = all.find((row) => row.id === messageId);
  if (!message) throw new AppError('message_not_found', `There is no message ${messageId} here.`);
  return lineTo(all, message);
}

function createFork(tx: Tx, owner: string, source: SessionRow, taken: StoredMessage[], wanted: ForkSession) {
  const last = taken.at(-1);
  return createSession(tx, owner, {
    sender: source.sender,
    ...(source.agent_id && { agentId: source.agent_id }),
    ...(wanted.name && { name: wanted.name }),
    ...(source.folder && { folder: source.folder }),
    attributes: JSON.parse(source.attributes),
    ...(last && { forkedFrom: { sessionId: source.id, messageId: last.id } }),
  });
}

async function copyMessages(tx: Tx, source: SessionRow, fork: SessionRow, taken: StoredMessage[]): Promise<void> {
  const compactions = await copyCompactions(tx, source, fork, taken);
  const speakers = new Set<string>();
  let parent: string | null = null;
  for (const [index, { rid: _, ...row }] of taken.entries()) {
    const id = compactions.idOf(row.id);
    const compaction_id = row.compaction_id && (compactions.ids.get(row.compaction_id) ?? null);
    const copy = {
      ...row,
      id,
      session_id: fork.id,
      seq: index + 1,
      parent_id: parent,
      turn_id: null,
      request_hash: null,
      on_path: 1,
    };
    await insertMessage(tx.db, { ...copy, compaction_id });
    if (row.parts) await copyFiles(tx.db, row.id, copy);
    if (row.agent_id) speakers.add(row.agent_id);
    parent = id;
  }
  for (const speaker of speakers) await addSessionAgent(tx.db, fork.id, speaker, tx.now);
  Object.assign(fork, { head_id: parent, message_seq: taken.length, message_count: taken.length });
  Object.assign(fork, {
    title: source.title,
    snippet: toSnippet(taken.findLast((row) => row.text)?.text ?? ''),
    agents: JSON.stringify([...speakers]),
  });
  fork.status = taken.length ? 'active' : 'idle';
}

/** Summaries come along when everything they stand for does; messages of the others are whole again. */
async function copyCompactions(tx: Tx, source: SessionRow, fork: SessionRow, taken: StoredMessage[]) {
  const newIds = new Map(taken.map((row) => [row.id, newId()]));
  const seqs = new Map(taken.map((row, index) => [row.id, index + 1]));
  const ids = new Map<string, string>();
  for (const compaction of await selectCompactions(tx.db, source.id)) {
    const last = newIds.get(compaction.last_message_id);
    if (!last) continue;
    ids.set(compaction.id, newId());
    const upto_seq = seqs.get(compaction.last_message_id)!;
    await insertCompaction(tx.db, {
      ...compaction,
      id: ids.get(compaction.id)!,
      session_id: fork.id,
      last_message_id: last,
      upto_seq,
    });
  }
  return { ids, idOf: (id: string) => newIds.get(id)! };
}
