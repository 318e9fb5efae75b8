import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle } from '../../i18n/text.ts';
import type { DayGroupId, Sections } from '../../state/order.ts';

type SectionId = 'required' | 'pinned' | 'live' | 'delegated' | 'archived';

interface Placed {
  /** Unique in the list; a session's is its id. */
  key: string;
  level: number;
  /** Its number among those beside it, from 1, and how many there are. */
  position: number;
  size: number;
  /** The row it belongs under. */
  parent: string | null;
}

export interface SectionRow extends Placed {
  kind: 'section';
  section: SectionId;
  count: number | null;
  open: boolean;
}

/** Sessions without a folder that were last active in the same days. */
export interface DayRow extends Placed {
  kind: 'day';
  day: DayGroupId;
  open: boolean;
}

export interface FolderRow extends Placed {
  kind: 'folder';
  name: string;
  count: number;
  open: boolean;
}

export interface SessionRow extends Placed {
  kind: 'session';
  id: string;
  section: SectionId;
  folder: string | null;
}

/** More of this section is on the server. */
export interface MoreRow extends Placed {
  kind: 'more';
  section: 'live' | 'archived';
}

/** The section is open and has nothing in it. */
export interface HintRow extends Placed {
  kind: 'hint';
  section: 'live' | 'archived';
}

export type Row = SectionRow | DayRow | FolderRow | SessionRow | MoreRow | HintRow;

export interface Unfolding {
  isOpen(key: string): boolean;
  /** Whether the server has more; of archived sessions, also whether they have been asked for. */
  moreLive: boolean;
  moreArchived: boolean;
  archivedAsked: boolean;
  /** While a filter is set, only the sessions that match. */
  filtering: boolean;
}

/** The list as it is shown, top to bottom: what is folded away is not in it. */
export function toRows(sections: Sections, unfolding: Unfolding): Row[] {
  const parts = [
    simple('required', sections.required, unfolding, sections.needed),
    simple('pinned', sections.pinned, unfolding),
    live(sections, unfolding),
    simple('delegated', sections.delegated, unfolding),
    archived(sections, unfolding),
  ].filter((part) => part.length > 0);
  return parts.flatMap(([head, ...rest], index) => [{ ...head!, position: index + 1, size: parts.length }, ...rest]);
}

/** The rows as they are now, with every one that has not changed as it was: only the others are drawn anew. */
export function keepRows(before: readonly Row[], now: readonly Row[]): readonly Row[] {
  const known = new Map(before.map((row) => [row.key, row]));
  const rows = now.map((row) => {
    const old = known.get(row.key);
    return old && sameRow(old, row) ? old : row;
  });
  const isSame = rows.length === before.length && rows.every((row, index) => row === before[index]);
  return isSame ? before : rows;
}

export const sectionKey = (section: SectionId) => `section:${section}`;
const dayKey = (day: DayGroupId) => `day:${day}`;
const folderKey = (name: string) => `folder:${name}`;

function simple(section: SectionId, ids: readonly string[], unfolding: Unfolding, count = ids.length): Row[] {
  if (ids.length === 0) return [];
  const head = sectionRow(section, count, unfolding);
  return head.open ? [head, ...sessionRows(ids, section, null, head.key)] : [head];
}

function live(sections: Sections, unfolding: Unfolding): Row[] {
  const { days, folders, loose } = sections;
  const count = folders.reduce((sum, { ids }) => sum + ids.length, loose.length);
  if (count === 0 && unfolding.filtering) return [];
  const head = sectionRow('live', count, unfolding);
  if (!head.open) return [head];
  const size = days.length + folders.length;
  return [
    head,
    ...dayRows(sections, head.key, unfolding),
    ...folderRows(sections, head.key, unfolding),
    ...ending('live', size, unfolding.moreLive, head.key),
  ];
}

function dayRows({ days, folders }: Sections, parent: string, unfolding: Unfolding): Row[] {
  const size = days.length + folders.length;
  return days.flatMap(({ day, ids }, index) => {
    const key = dayKey(day);
    const open = unfolding.filtering || unfolding.isOpen(key);
    const row: DayRow = { ...placed(key, 2, index, size, parent), kind: 'day', day, open };
    return open ? [row, ...sessionRows(ids, 'live', null, key)] : [row];
  });
}

function folderRows({ days, folders }: Sections, parent: string, unfolding: Unfolding): Row[] {
  const size = days.length + folders.length;
  return folders.flatMap(({ name, ids }, index) => {
    const key = folderKey(name);
    const open = unfolding.filtering || unfolding.isOpen(key);
    const place = placed(key, 2, days.length + index, size, parent);
    const row: FolderRow = { ...place, kind: 'folder', name, count: ids.length, open };
    return open ? [row, ...sessionRows(ids, 'live', name, key)] : [row];
  });
}

function archived({ archived: ids }: Sections, unfolding: Unfolding): Row[] {
  if (ids.length === 0 && unfolding.filtering) return [];
  const head = sectionRow('archived', unfolding.archivedAsked ? ids.length : null, unfolding);
  if (!head.open) return [head];
  const more = unfolding.moreArchived || !unfolding.archivedAsked;
  return [
    head,
    ...sessionRows(ids, 'archived', null, head.key),
    ...ending('archived', ids.length, more && !unfolding.filtering, head.key),
  ];
}

function ending(section: 'live' | 'archived', count: number, more: boolean, parent: string): Row[] {
  const place = { level: 2, position: count + 1, size: count + 1, parent };
  if (more) return [{ ...place, kind: 'more', key: `more:${section}`, section }];
  return count === 0 ? [{ ...place, kind: 'hint', key: `hint:${section}`, section }] : [];
}

function sectionRow(section: SectionId, count: number | null, { isOpen, filtering }: Unfolding): SectionRow {
  const key = sectionKey(section);
  return { ...placed(key, 1, 0, 1, null), kind: 'section', section, count, open: filtering || isOpen(key) };
}

function sessionRows(ids: readonly string[], section: SectionId, folder: string | null, parent: string): SessionRow[] {
  const level = section === 'live' ? 3 : 2;
  return ids.map((id, index) => ({
    ...placed(id, level, index, ids.length, parent),
    kind: 'session',
    id,
    section,
    folder,
  }));
}

function placed(key: string, level: number, index: number, size: number, parent: string | null): Placed {
  return { key, level, position: index + 1, size, parent };
}

function sameRow(a: Row, b: Row): boolean {
  const fields = Object.keys(a) as (keyof Row)[];
  return a.kind === b.kind && fields.every((field) => a[field] === b[field]);
}

/** What letting go of a session on a row means. */
export type DropPlace = { kind: 'folder'; name: string | null } | { kind: 'pin'; index: number } | { kind: 'archive' };

export function placeOf(row: Row): DropPlace | null {
  if (row.kind === 'day') return { kind: 'folder', name: null };
  if (row.kind === 'folder') return { kind: 'folder', name: row.name };
  return row.kind === 'section' || row.kind === 'session' ? inSection(row) : null;
}

function inSection(row: SectionRow | SessionRow): DropPlace | null {
  const { section } = row;
  switch (section) {
    case 'required':
    case 'delegated':
      return null;
    case 'pinned':
      return { kind: 'pin', index: row.kind === 'session' ? row.position - 1 : 0 };
    case 'live':
      return { kind: 'folder', name: row.kind === 'session' ? row.folder : null };
    case 'archived':
      return { kind: 'archive' };
    default:
      return section satisfies never;
  }
}

/** Whether all the words are in the title, the folder or the name of an agent that speaks there; none given: undefined. */
export function toMatcher(
  query: string,
  agentNames: ReadonlyMap<string, string>,
): ((session: Session) => boolean) | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return (session) => {
    const haystack = describe(session, agentNames).toLowerCase();
    return words.every((word) => haystack.includes(word));
  };
}

function describe({ title, folder, agentId, agents }: Session, names: ReadonlyMap<string, string>): string {
  const speakers = agentId === null ? agents : [agentId, ...agents];
  return [sessionTitle(title), folder ?? '', ...speakers.flatMap((id) => [id, names.get(id) ?? ''])].join('\n');
}
