import { AppError } from '../../contract/errors.ts';
import type { Session } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { SessionRow } from '../storage/tables.ts';
import {
  joinPath,
  leavePath,
  loadMessage,
  type MessagePosition,
  type StoredMessage,
  selectPositions,
} from './message-store.ts';
import { loadSession, saveSession } from './store.ts';
import { snippetOf, toSession } from './views.ts';

/** Shows another branch: the one a message is on, down to its newest descendant. */
export async function chooseHead(log: EventLog, owner: string, sessionId: string, messageId: string): Promise<Session> {
  return log.write(async (tx) => {
    const session = await loadSession(tx.db, owner, sessionId);
    if (isBusy(session)) throw new AppError('session_busy', say('session_busy.branch'));
    const message = await loadMessage(tx.db, owner, messageId);
    if (message.session_id !== sessionId)
      throw new AppError('message_not_found', say('message_not_found', { id: messageId }));
    const path = pathThrough(await selectPositions(tx.db, sessionId), placeOf(message));
    const shared = sharedPrefix(path);
    await leavePath(tx.db, sessionId, shared);
    await joinPath(
      tx.db,
      path.map((step) => step.id),
    );
    await moveHead(tx, session, await loadMessage(tx.db, owner, path.at(-1)!.id), path.length, shared);
    return toSession(session);
  });
}

export function isBusy(session: SessionRow): boolean {
  return session.status === 'working' || session.status === 'waiting' || session.status === 'connecting';
}

async function moveHead(tx: Tx, session: SessionRow, head: StoredMessage, count: number, afterSeq: number) {
  session.head_id = head.id;
  session.message_count = count;
  Object.assign(session, snippetOf(head));
  session.updated_at = tx.now;
  tx.append(session, { type: 'session.branched', afterSeq, headId: head.id });
  await saveSession(tx.db, session);
}

function placeOf({ id, parent_id, on_path, seq }: StoredMessage): MessagePosition {
  return { id, parent_id, on_path, seq: seq! };
}

/** A message after its ancestors. */
export function lineTo(all: readonly MessagePosition[], message: MessagePosition): MessagePosition[] {
  const byId = new Map(all.map((row) => [row.id, row]));
  const line: MessagePosition[] = [];
  for (let step: MessagePosition | undefined = message; step; step = byId.get(step.parent_id ?? '')) line.push(step);
  return line.reverse();
}

/** Ancestors of a message, the message, and from there always the newest child. */
function pathThrough(all: readonly MessagePosition[], message: MessagePosition): MessagePosition[] {
  const newestChild = new Map(all.filter((row) => row.parent_id).map((row) => [row.parent_id!, row]));
  const path = lineTo(all, message);
  for (let step = newestChild.get(message.id); step; step = newestChild.get(step.id)) path.push(step);
  return path;
}

/** The number of the last message that both branches have in common. */
function sharedPrefix(path: readonly MessagePosition[]): number {
  let shared = 0;
  for (const step of path) {
    if (step.on_path !== 1) break;
    shared = step.seq;
  }
  return shared;
}
