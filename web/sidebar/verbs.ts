import type { Session } from '../../contract/sessions.ts';
import { closeOverlays } from '../app/panes.ts';
import { sessionTitle } from '../i18n/session-title.ts';
import { text } from '../i18n/text.ts';
import { notify } from '../ui/toast.tsx';
import { deleteSoon, hiddenSessions, UNDO_MS } from './deletions.ts';
import { downloadSession, type ExportFormat } from './download.ts';
import { newSession } from './new-session.ts';
import { neighbour, openOrder, toSections } from './order.ts';
import { PIN_RANK, rankAt } from './pin-rank.ts';
import type { World } from './world.ts';

type Ids = readonly string[];

export function open(world: World, id: string): void {
  closeOverlays();
  void world.navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
}

/** Whether it has the name now. */
export async function rename(world: World, id: string, name: string): Promise<boolean> {
  return each(world, [id], () => world.live.client.renameSession(id, name));
}

export async function setPinned(world: World, ids: Ids, pinned: boolean): Promise<void> {
  await each(world, ids, (id) => (pinned ? world.live.client.pinSession(id) : unpin(world, id)));
}

/** Puts pins before the one at `index`; what was no pin becomes one. */
export async function placePins(world: World, ids: Ids, index: number): Promise<void> {
  const pins = sectionsOf(world).pinned;
  const before = pins.slice(0, index).filter((id) => !ids.includes(id));
  const others = pins.filter((id) => !ids.includes(id)).map((id) => sessionOf(world, id)!);
  const rank = rankAt(others, before.length);
  await each(world, ids, async (id) => {
    if (sessionOf(world, id)?.pinnedAt === null) await world.live.client.pinSession(id);
    // Several keep their order: each comes a hair after the one before.
    return world.live.client.patchSession(id, { attributes: { [PIN_RANK]: rank + ids.indexOf(id) * 1e-3 } });
  });
}

export async function moveTo(world: World, ids: Ids, folder: string | null): Promise<void> {
  const before = new Map(ids.map((id) => [id, sessionOf(world, id)?.folder ?? null]));
  const moved = await each(world, ids, (id) => world.live.client.patchSession(id, { folder }));
  if (!moved) return;
  const back = () => void each(world, ids, (id) => world.live.client.patchSession(id, { folder: before.get(id)! }));
  const title = folder === null ? text('sidebar.done.unfiled') : text('sidebar.done.moved', { folder });
  notify({ title, undo: { label: text('action.undo'), run: back } });
}

/** Closing: out of the way, and back with one press. */
export async function archive(world: World, ids: Ids): Promise<void> {
  leave(world, ids);
  const title = told(world, ids, 'archived');
  if (!(await each(world, ids, (id) => world.live.client.archiveSession(id)))) return;
  notify({ title, undo: { label: text('action.undo'), run: () => void restore(world, ids) } });
}

export async function restore(world: World, ids: Ids): Promise<void> {
  await each(world, ids, (id) => world.live.client.unarchiveSession(id));
}

export async function clearHistory(world: World, id: string): Promise<void> {
  await each(world, [id], () => world.live.client.clearSession(id));
}

export function remove(world: World, ids: Ids): void {
  const opened = world.current();
  const title = told(world, ids, 'deleted');
  leave(world, ids);
  const undo = deleteSoon(world.live, ids, tell);
  const run = () => {
    undo();
    if (opened !== null && ids.includes(opened)) open(world, opened);
  };
  notify({ title, undo: { label: text('action.undo'), run }, ms: UNDO_MS });
}

/** A new session with everything said so far. */
export async function fork(world: World, id: string): Promise<void> {
  try {
    await finishDeletions(world.live, id);
    const session = await world.live.client.forkSession(id);
    world.live.note(session);
    open(world, session.id);
  } catch (error) {
    tell(error as Error);
  }
}

export async function compact({ live }: World, id: string): Promise<void> {
  try {
    await finishDeletions(live, id);
    const { archivedCount } = await live.client.compactSession(id);
    notify({ title: text('composer.compacted', { count: archivedCount }) });
  } catch (error) {
    tell(error as Error);
  }
}

export async function markRead(world: World, ids: Ids): Promise<void> {
  await each(world, ids, (id) => world.live.client.markRead(id));
}

export function exportAs(world: World, id: string, format: ExportFormat): void {
  const session = sessionOf(world, id);
  if (!session) return;
  void finishDeletions(world.live, id)
    .then(() => downloadSession(world.live.client, session, format))
    .catch(tell);
}

export function sessionOf(world: World, id: string): Session | undefined {
  return world.live.store.getState().sessions.get(id);
}

export function sectionsOf(world: World) {
  const { sessions, actions } = world.live.store.getState();
  return toSections({ sessions, actions, hidden: hiddenSessions() });
}

/** Somebody who is in a session that goes away comes to the one next to it; after the last comes a new one. */
function leave(world: World, ids: Ids): void {
  const current = world.current();
  if (current === null || !ids.includes(current)) return;
  const next = neighbour(openOrder(sectionsOf(world)), current, new Set(ids));
  if (next === null) void newSession(world.live, world.navigate);
  else void world.navigate({ to: '/sessions/$sessionId', params: { sessionId: next } });
}

async function unpin(world: World, id: string): Promise<Session> {
  const session = await world.live.client.unpinSession(id);
  if (session.attributes[PIN_RANK] === undefined) return session;
  return world.live.client.patchSession(id, { attributes: { [PIN_RANK]: null } });
}

/** One after the other; the first that fails ends it and is told. */
async function each(world: World, ids: Ids, change: (id: string) => Promise<Session>): Promise<boolean> {
  try {
    for (const id of ids) world.live.note(await change(id));
    return true;
  } catch (error) {
    tell(error as Error);
    return false;
  }
}

function tell(error: Error): void {
  notify({ title: error.message });
}

function told(world: World, ids: Ids, what: 'archived' | 'deleted'): string {
  const title = sessionTitle(sessionOf(world, ids[0]!)?.title);
  if (ids.length === 1) return text(`sidebar.done.${what}`, { title });
  return text(`sidebar.done.${what}Many`, { count: ids.length });
}

/** Loaded when it is needed: the list of sessions does without. */
async function finishDeletions(live: World['live'], sessionId: string): Promise<void> {
  const deletions = await import('../conversation/message-deletions.ts');
  await deletions.finishDeletions(live, sessionId);
}
