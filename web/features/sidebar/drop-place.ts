import type { Row, SectionRow, SessionRow } from './rows.ts';

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
