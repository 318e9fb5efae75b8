import { AppError } from '../../contract/errors.ts';
import type { Session } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import type { Tx } from '../events/log.ts';
import { deleteAgentStates } from '../sessions/agent-state-store.ts';
import { isBusy } from '../sessions/branches.ts';
import { joinPath, loadMessage, type StoredMessage } from '../sessions/message-store.ts';
import { removeSession } from '../sessions/sessions.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import { fileNames, NO_SNIPPET, snippetOf, toSession, toTitle } from '../sessions/views.ts';
import type { SessionRow } from '../storage/tables.ts';
import { withdrawEverything } from './actions.ts';
import {
  deleteEvents,
  deleteFromShares,
  deleteMessages,
  deleteSummaries,
  deleteTurns,
  forgetSpeaker,
  moveMessage,
  type Outline,
  renameShares,
  selectAnswering,
  selectBackground,
  selectEnds,
  selectOutline,
} from './deletion-store.ts';
import { endDelegationsFrom, finishRemoval } from './remove-sessions.ts';
import { computeStatus } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/**
 * Takes a message out of its session for good: with everything that was said and done in answer to it, on every branch.
 * What came later stays and follows what was before.
 */
export async function deleteMessage(deps: TurnDeps, owner: string, messageId: string): Promise<Session> {
  const { session, background, stopped } = await deps.log.write(async (tx) => {
    const found = await loadQuiet(tx, deps, owner, messageId);
    const turns = await selectAnswering(tx.db, found.session.id, messageId);
    const outline = await selectOutline(tx.db, found.session.id);
    const gone = new Set(outline.filter(belongsTo(messageId, turns)).map(({ id }) => id));
    const background = await removeBackground(tx, turns, gone);
    const stopped = await endDelegationsFrom(tx, deps, turns);
    const { session, message } = await loadQuiet(tx, deps, owner, messageId);
    await removeRows(tx, session, outline, gone, turns);
    await mendSession(tx, session, outline, gone, message);
    await tell(tx, session, outline, gone, turns);
    return { session: toSession(session), background, stopped };
  });
  await finishRemoval(deps, background, stopped);
  return session;
}

async function loadQuiet(tx: Tx, deps: TurnDeps, owner: string, messageId: string) {
  const message = await loadMessage(tx.db, owner, messageId);
  if (message.seq === null) throw new AppError('invalid_request', say('invalid_request.queuedDelete'));
  const session = await loadSession(tx.db, owner, message.session_id);
  if (isBusy(session) || deps.compactor.isBusy(session.id))
    throw new AppError('session_busy', say('session_busy.delete'));
  return { session, message };
}

function belongsTo(messageId: string, turns: readonly string[]): (row: Outline) => boolean {
  const answering = new Set(turns);
  return ({ id, turn_id }) => id === messageId || (turn_id !== null && answering.has(turn_id));
}

/** What a tool was left to do goes with the call that began it. */
async function removeBackground(tx: Tx, turns: readonly string[], gone: ReadonlySet<string>): Promise<string[]> {
  const removed: string[] = [];
  for (const session of await selectBackground(tx.db, turns, [...gone]))
    removed.push(...(await removeSession(tx, session)));
  return removed;
}

type Gone = ReadonlySet<string>;

async function removeRows(tx: Tx, session: SessionRow, outline: Outline[], gone: Gone, turns: readonly string[]) {
  for (const turnId of turns) await withdrawEverything(tx, session, turnId);
  await deleteTurns(tx.db, turns);
  await deleteMessages(tx.db, [...gone]);
  await deleteFromShares(tx.db, session, [...gone]);
  // An agent that owns its context would still know what is gone.
  await deleteAgentStates(tx.db, session.id);
  const archived = firstArchived(outline, gone);
  if (archived !== null) await deleteSummaries(tx.db, session.id, archived);
  const parentOf = survivingParents(outline, gone);
  for (const { id, parent_id } of outline) {
    if (gone.has(id) || parent_id === null || !gone.has(parent_id)) continue;
    await moveMessage(tx.db, parentOf(parent_id), id);
  }
}

/** From which place on a summary would hold words of what is gone; null when none does. */
function firstArchived(outline: readonly Outline[], gone: Gone): number | null {
  return outline.find(({ id, compaction_id }) => gone.has(id) && compaction_id !== null)?.seq ?? null;
}

/** The new parent of a message whose parent is deleted. */
function survivingParents(outline: readonly Outline[], gone: Gone): (parentId: string | null) => string | null {
  const parents = new Map(outline.map(({ id, parent_id }) => [id, parent_id]));
  return (parentId) => {
    let id = parentId;
    while (id !== null && gone.has(id)) id = parents.get(id) ?? null;
    return id;
  };
}

/** What the session says of itself holds nothing of what is gone. */
async function mendSession(tx: Tx, session: SessionRow, outline: Outline[], gone: Gone, message: StoredMessage) {
  const left = outline.filter(({ id }) => !gone.has(id));
  const path = await showPath(tx, outline, gone, session);
  session.unread_count = stillUnread(session, outline, gone);
  session.head_id = path.at(-1)?.id ?? null;
  session.message_count = path.length;
  const { first, last } = await selectEnds(tx.db, session.id);
  Object.assign(session, (last && snippetOf(last)) ?? NO_SNIPPET);
  await mendTitle(tx, session, message, first);
  await forgetSpeakers(tx, session, left);
  session.status = await computeStatus(tx.db, session);
  session.updated_at = tx.now;
}

async function mendTitle(tx: Tx, session: SessionRow, message: StoredMessage, first: string): Promise<void> {
  const title = toTitle(message.text || fileNames(message.parts));
  if (session.title !== title) return;
  session.title = first === '' ? null : toTitle(first);
  await renameShares(tx.db, toSession(session).title, session.id, title);
}

/** Of what was shown, what is left; when it ended in what is gone, the newest branch that goes on from there. */
async function showPath(tx: Tx, outline: Outline[], gone: Gone, session: SessionRow): Promise<Outline[]> {
  const left = outline.filter(({ id }) => !gone.has(id));
  const path = left.filter(({ on_path }) => on_path === 1);
  if (session.head_id === null || !gone.has(session.head_id)) return path;
  const parentOf = survivingParents(outline, gone);
  const newestChild = new Map(left.map((row) => [parentOf(row.parent_id), row]));
  const further: Outline[] = [];
  let next = newestChild.get(path.at(-1)?.id ?? null);
  for (; next; next = newestChild.get(next.id)) further.push(next);
  await joinPath(
    tx.db,
    further.map(({ id }) => id),
  );
  return [...path, ...further];
}

function stillUnread({ unread_count }: SessionRow, outline: readonly Outline[], gone: Gone): number {
  if (unread_count === 0) return 0;
  const unread = outline.filter(({ agent_id, on_path }) => agent_id !== null && on_path === 1).slice(-unread_count);
  return unread.filter(({ id }) => !gone.has(id)).length;
}

async function forgetSpeakers(tx: Tx, session: SessionRow, left: readonly Outline[]): Promise<void> {
  const speaking = new Set(left.map(({ agent_id }) => agent_id));
  const known: string[] = JSON.parse(session.agents);
  session.agents = JSON.stringify(known.filter((agent) => speaking.has(agent)));
  for (const agent of known)
    if (!speaking.has(agent) && agent !== session.agent_id) await forgetSpeaker(tx.db, session.id, agent);
}

async function tell(tx: Tx, session: SessionRow, outline: Outline[], gone: Gone, turns: string[]): Promise<void> {
  await deleteEvents(tx.db, session.id);
  session.event_floor = session.event_seq - tx.staged.filter(({ event }) => event.sessionId === session.id).length;
  const parentOf = survivingParents(outline, gone);
  const archived = firstArchived(outline, gone);
  tx.append(session, {
    type: 'message.deleted',
    messages: [...gone].map((id) => ({ id, parentId: parentOf(id) })),
    turnIds: turns,
    archivedUpto: archived === null ? null : archived - 1,
    session: { ...toSession(session), lastSeq: session.event_seq + 1 },
  });
  await saveSession(tx.db, session);
}
