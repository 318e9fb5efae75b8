import type { ParleyClient } from '../../client/parley-client.ts';
import type { Session } from '../../contract/sessions.ts';
import { sessionTitle, text } from '../i18n/text.ts';
import { saveBlob, toFileName } from '../ui/own-file.ts';
import { notify } from '../ui/toast.tsx';
import { newSession } from './new-session.ts';
import { neighbour, openOrder, PIN_RANK, rankAt, toSections } from './order.ts';
import { closeOverlays } from './panes.ts';
import type { SessionDeps } from './session-deps.ts';
import { deleteSoon, hiddenSessions, UNDO_MS } from './undoable-deletions.ts';

type Ids = readonly string[];

export function open(deps: SessionDeps, id: string): void {
  closeOverlays();
  void deps.navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
}

/** Whether it has the name now. */
export async function rename(deps: SessionDeps, id: string, name: string): Promise<boolean> {
  return each(deps, [id], () => deps.live.client.call('renameSession', { sessionId: id, body: { name } }));
}

export async function setPinned(deps: SessionDeps, ids: Ids, pinned: boolean): Promise<void> {
  await each(deps, ids, (id) => (pinned ? deps.live.client.call('pinSession', { sessionId: id }) : unpin(deps, id)));
}

/** Puts pins before the one at `index`; what was no pin becomes one. */
export async function placePins(deps: SessionDeps, ids: Ids, index: number): Promise<void> {
  const pins = sectionsOf(deps).pinned;
  const before = pins.slice(0, index).filter((id) => !ids.includes(id));
  const others = pins.filter((id) => !ids.includes(id)).map((id) => sessionOf(deps, id)!);
  const rank = rankAt(others, before.length);
  await each(deps, ids, async (id) => {
    if (sessionOf(deps, id)?.pinnedAt === null) await deps.live.client.call('pinSession', { sessionId: id });
    // Several keep their order: each comes a hair after the one before.
    return deps.live.client.call('patchSession', {
      sessionId: id,
      body: { attributes: { [PIN_RANK]: rank + ids.indexOf(id) * 1e-3 } },
    });
  });
}

export async function moveTo(deps: SessionDeps, ids: Ids, folder: string | null): Promise<void> {
  const before = new Map(ids.map((id) => [id, sessionOf(deps, id)?.folder ?? null]));
  const moved = await each(deps, ids, (id) =>
    deps.live.client.call('patchSession', { sessionId: id, body: { folder } }),
  );
  if (!moved) return;
  const back = () =>
    void each(deps, ids, (id) =>
      deps.live.client.call('patchSession', { sessionId: id, body: { folder: before.get(id)! } }),
    );
  const title = folder === null ? text('sidebar.done.unfiled') : text('sidebar.done.moved', { folder });
  notify({ title, undo: { label: text('action.undo'), run: back } });
}

/** Closing: out of the way, and back with one press. */
export async function archive(deps: SessionDeps, ids: Ids): Promise<void> {
  leave(deps, ids);
  const title = told(deps, ids, 'archived');
  if (!(await each(deps, ids, (id) => deps.live.client.call('archiveSession', { sessionId: id })))) return;
  notify({ title, undo: { label: text('action.undo'), run: () => void restore(deps, ids) } });
}

export async function restore(deps: SessionDeps, ids: Ids): Promise<void> {
  await each(deps, ids, (id) => deps.live.client.call('unarchiveSession', { sessionId: id }));
}

export async function clearHistory(deps: SessionDeps, id: string): Promise<void> {
  await each(deps, [id], () => deps.live.client.call('clearSession', { sessionId: id }));
}

export function remove(deps: SessionDeps, ids: Ids): void {
  const opened = deps.current();
  const title = told(deps, ids, 'deleted');
  leave(deps, ids);
  const undo = deleteSoon(deps.live, ids, tell);
  const run = () => {
    undo();
    if (opened !== null && ids.includes(opened)) open(deps, opened);
  };
  notify({ title, undo: { label: text('action.undo'), run }, ms: UNDO_MS });
}

/** A new session with everything said so far. */
export async function fork(deps: SessionDeps, id: string): Promise<void> {
  try {
    await finishDeletions(deps.live, id);
    const session = await deps.live.client.call('forkSession', { sessionId: id });
    deps.live.note(session);
    open(deps, session.id);
  } catch (error) {
    tell(error as Error);
  }
}

export async function compact({ live }: SessionDeps, id: string): Promise<void> {
  try {
    await finishDeletions(live, id);
    const { archivedCount } = await live.client.call('compactSession', { sessionId: id });
    notify({ title: text('composer.compacted', { count: archivedCount }) });
  } catch (error) {
    tell(error as Error);
  }
}

export async function markRead(deps: SessionDeps, ids: Ids): Promise<void> {
  await each(deps, ids, (id) => deps.live.client.call('markRead', { sessionId: id }));
}

export function exportAs(deps: SessionDeps, id: string, format: ExportFormat): void {
  const session = sessionOf(deps, id);
  if (!session) return;
  void finishDeletions(deps.live, id)
    .then(() => downloadSession(deps.live.client, session, format))
    .catch(tell);
}

export function sessionOf(deps: SessionDeps, id: string): Session | undefined {
  return deps.live.store.getState().sessions.get(id);
}

export function sectionsOf(deps: SessionDeps) {
  const { sessions, actions } = deps.live.store.getState();
  return toSections({ sessions, actions, hidden: hiddenSessions() });
}

/** Leaving a session that goes away opens the one next to it; after the last one, a new session. */
function leave(deps: SessionDeps, ids: Ids): void {
  const current = deps.current();
  if (current === null || !ids.includes(current)) return;
  const next = neighbour(openOrder(sectionsOf(deps)), current, new Set(ids));
  if (next === null) void newSession(deps.live, deps.navigate);
  else void deps.navigate({ to: '/sessions/$sessionId', params: { sessionId: next } });
}

async function unpin(deps: SessionDeps, id: string): Promise<Session> {
  const session = await deps.live.client.call('unpinSession', { sessionId: id });
  if (session.attributes[PIN_RANK] === undefined) return session;
  return deps.live.client.call('patchSession', { sessionId: id, body: { attributes: { [PIN_RANK]: null } } });
}

/** One after the other; the first that fails ends it and is told. */
async function each(deps: SessionDeps, ids: Ids, change: (id: string) => Promise<Session>): Promise<boolean> {
  try {
    for (const id of ids) deps.live.note(await change(id));
    return true;
  } catch (error) {
    tell(error as Error);
    return false;
  }
}

function tell(error: Error): void {
  notify({ title: error.message });
}

function told(deps: SessionDeps, ids: Ids, what: 'archived' | 'deleted'): string {
  const title = sessionTitle(sessionOf(deps, ids[0]!)?.title);
  if (ids.length === 1) return text(`sidebar.done.${what}`, { title });
  return text(`sidebar.done.${what}Many`, { count: ids.length });
}

/** Loaded when it is needed: the list of sessions does without. */
async function finishDeletions(live: SessionDeps['live'], sessionId: string): Promise<void> {
  const deletions = await import('./message-deletions.ts');
  await deletions.finishDeletions(live, sessionId);
}

type ExportFormat = 'markdown' | 'json';

/** The whole session as a file. */
export async function downloadSession(
  client: ParleyClient,
  { id, title }: { id: string; title: string },
  format: ExportFormat,
): Promise<void> {
  if (format === 'markdown')
    save(
      await client.callForText('exportSession', { sessionId: id, query: { format: 'markdown' } }),
      'text/markdown',
      `${toFileName(title)}.md`,
    );
  else
    save(
      JSON.stringify(await client.call('exportSession', { sessionId: id, query: { format: 'json' } }), null, 2),
      'application/json',
      `${toFileName(title)}.json`,
    );
}

function save(content: string, type: string, name: string): void {
  saveBlob(new Blob([content], { type: `${type};charset=utf-8` }), name);
}
