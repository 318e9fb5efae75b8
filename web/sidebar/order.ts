import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import { actionsBySession, isUnfinishedWork } from './needs.ts';
import { pinRank } from './pin-rank.ts';

export interface Listed {
  sessions: ReadonlyMap<string, Session>;
  actions: ReadonlyMap<string, Action>;
  /** About to be deleted. */
  hidden: ReadonlySet<string>;
  /** Absent: all of them. */
  matches?: ((session: Session) => boolean) | undefined;
}

export interface FolderGroup {
  name: string;
  ids: string[];
}

/** Every session is in exactly one place. */
export interface Sections {
  required: string[];
  pinned: string[];
  folders: FolderGroup[];
  loose: string[];
  archived: string[];
}

/** What goes where. What wants the person comes first, wherever it would be otherwise; it goes back once it is settled. */
export function toSections({ sessions, actions, hidden, matches }: Listed): Sections {
  const asked = actionsBySession(actions);
  const places: Record<Place, Session[]> = { required: [], pinned: [], live: [], archived: [] };
  for (const session of sessions.values()) {
    if (hidden.has(session.id) || isScratch(session) || (matches && !matches(session))) continue;
    places[placeOf(session, asked)].push(session);
  }
  const live = places.live.sort(byActivity);
  return {
    required: ids(places.required.sort(byUrgency(asked))),
    pinned: ids(places.pinned.sort((a, b) => pinRank(a) - pinRank(b))),
    folders: toFolders(live),
    loose: ids(live.filter(({ folder }) => folder === null)),
    archived: ids(places.archived.sort(byActivity)),
  };
}

/** Made to try an agent out; it goes away with the page it was tried on. */
function isScratch({ attributes }: Session): boolean {
  return attributes.scratch === true;
}

/** From top to bottom, archived ones left out: where to go when one of them is closed. */
export function openOrder({ required, pinned, folders, loose }: Sections): string[] {
  return [...required, ...pinned, ...folders.flatMap((folder) => folder.ids), ...loose];
}

/** The next one below that stays, else the nearest above; null when none is left. */
export function neighbour(order: readonly string[], id: string, leaving: ReadonlySet<string>): string | null {
  const at = order.indexOf(id);
  const below = order.slice(at + 1).find((other) => !leaving.has(other));
  const above = order.slice(0, Math.max(0, at)).findLast((other) => !leaving.has(other));
  return below ?? above ?? null;
}

/** Every folder there is, wherever its sessions are shown. */
export function folderNames(sessions: ReadonlyMap<string, Session>): string[] {
  const names = new Set([...sessions.values()].map(({ folder }) => folder));
  return [...names].filter((name) => name !== null).sort(byName);
}

type Place = 'required' | 'pinned' | 'live' | 'archived';

function placeOf(session: Session, asked: ReadonlyMap<string, Action>): Place {
  if (asked.has(session.id) || isUnfinishedWork(session)) return 'required';
  if (session.archivedAt !== null) return 'archived';
  return session.pinnedAt === null ? 'live' : 'pinned';
}

function toFolders(sessions: readonly Session[]): FolderGroup[] {
  const byFolder = Map.groupBy(sessions, ({ folder }) => folder);
  byFolder.delete(null);
  const names = [...byFolder.keys()] as string[];
  return names.sort(byName).map((name) => ({ name, ids: ids(byFolder.get(name)!) }));
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' }) || (a < b ? -1 : 1);
}

function byActivity(a: Session, b: Session): number {
  if (a.lastActivityAt !== b.lastActivityAt) return a.lastActivityAt < b.lastActivityAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** Who has waited longest comes first; what is only working comes last, newest first. */
function byUrgency(asked: ReadonlyMap<string, Action>): (a: Session, b: Session) => number {
  const since = (session: Session) => asked.get(session.id)?.createdAt ?? session.lastActivityAt;
  const waits = (session: Session) => asked.has(session.id) || session.status !== 'working';
  return (a, b) => {
    if (waits(a) !== waits(b)) return waits(a) ? -1 : 1;
    if (!waits(a) || since(a) === since(b)) return byActivity(a, b);
    return since(a) < since(b) ? -1 : 1;
  };
}

function ids(sessions: readonly Session[]): string[] {
  return sessions.map(({ id }) => id);
}
