import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import {
  type Asked,
  actionsBySession,
  byActivity,
  byUrgency,
  isAskedIn,
  isOnlyTried,
  isUnfinishedWork,
  sessionsInNeed,
} from './needs.ts';

export interface Listed {
  sessions: ReadonlyMap<string, Session>;
  actions: ReadonlyMap<string, Action>;
  /** About to be deleted. */
  hidden: ReadonlySet<string>;
  /** Absent: all of them. */
  matches?: ((session: Session) => boolean) | undefined;
  /** By which sessions are grouped into days; absent: the present. */
  now?: number;
}

interface FolderGroup {
  name: string;
  ids: string[];
}

/** Every session is in exactly one place. */
export interface Sections {
  required: string[];
  /** How many of those need the person; the others only work. */
  needed: number;
  pinned: string[];
  /** Those without a folder, all of them and by the day of their last activity. */
  loose: string[];
  days: DayGroup[];
  folders: FolderGroup[];
  /** Made by an agent to give work to another one, and neither pinned nor in a folder. */
  delegated: string[];
  archived: string[];
}

/** What goes where. What wants the person comes first, wherever it would be otherwise; it goes back once it is settled. */
export function toSections({ sessions, actions, hidden, matches, now = Date.now() }: Listed): Sections {
  const asked = actionsBySession(actions);
  const places: Record<Place, Session[]> = { required: [], pinned: [], live: [], delegated: [], archived: [] };
  for (const session of sessions.values()) {
    if (hidden.has(session.id) || isOnlyTried(session, sessions) || (matches && !matches(session))) continue;
    places[placeOf(session, asked)].push(session);
  }
  const live = places.live.sort(byActivity);
  const needing = new Set(sessionsInNeed(sessions, actions, hidden));
  const loose = live.filter(({ folder }) => folder === null);
  return {
    required: ids(places.required.sort(byUrgency(asked))),
    needed: places.required.filter((session) => needing.has(session)).length,
    pinned: ids(places.pinned.sort((a, b) => pinRank(a) - pinRank(b))),
    loose: ids(loose),
    days: toDayGroups(loose, now),
    folders: toFolders(live),
    delegated: ids(places.delegated.sort(byActivity)),
    archived: ids(places.archived.sort(byActivity)),
  };
}

/** From top to bottom, delegated and archived ones left out: where to go when one of them is closed. */
export function openOrder({ required, pinned, folders, loose }: Sections): string[] {
  return [...required, ...pinned, ...loose, ...folders.flatMap((folder) => folder.ids)];
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

type Place = 'required' | 'pinned' | 'live' | 'delegated' | 'archived';

/** What a delegate asks stands at the session that the person began, and only there. */
function placeOf(session: Session, asked: ReadonlyMap<string, Asked>): Place {
  const known = asked.get(session.id);
  if (known ? isAskedIn(session, known) : isUnfinishedWork(session)) return 'required';
  if (session.archivedAt !== null) return 'archived';
  if (session.pinnedAt !== null) return 'pinned';
  return isDelegated(session) ? 'delegated' : 'live';
}

/** An agent began it, and the person has not given it a place of their own. */
function isDelegated({ delegatedFrom, folder }: Session): boolean {
  return delegatedFrom !== null && folder === null;
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

function ids(sessions: readonly Session[]): string[] {
  return sessions.map(({ id }) => id);
}

export type DayGroupId = 'today' | 'yesterday' | 'week' | 'month' | 'older';

interface DayGroup {
  day: DayGroupId;
  ids: string[];
}

/** Sessions by how long ago they were last active, in calendar days; `sessions` are newest first. */
function toDayGroups(sessions: readonly Session[], now: number): DayGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups = Map.groupBy(sessions, ({ lastActivityAt }) => dayOf(Date.parse(lastActivityAt), midnight));
  return [...groups].map(([day, listed]) => ({ day, ids: listed.map(({ id }) => id) }));
}

function dayOf(at: number, midnight: number): DayGroupId {
  const start = (days: number) => new Date(midnight).setDate(new Date(midnight).getDate() - days);
  if (at >= midnight) return 'today';
  if (at >= start(1)) return 'yesterday';
  if (at >= start(7)) return 'week';
  return at >= start(30) ? 'month' : 'older';
}

/** The attribute that says where among the pins a session was put by hand. */
export const PIN_RANK = 'pinRank';

/** Pins come in the order they were made, unless the person moved one. */
function pinRank({ pinnedAt, attributes }: Session): number {
  const rank = attributes[PIN_RANK];
  return typeof rank === 'number' ? rank : Date.parse(pinnedAt ?? '') || 0;
}

/** A rank that puts something before the pin at `index`, or after the last one. */
export function rankAt(pins: readonly Session[], index: number): number {
  const before = pins[index - 1];
  const after = pins[index];
  if (before && after) return (pinRank(before) + pinRank(after)) / 2;
  if (after) return pinRank(after) - STEP;
  return before ? pinRank(before) + STEP : Date.now();
}

const STEP = 1000;
