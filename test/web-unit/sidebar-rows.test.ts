import { describe, expect, it } from 'vitest';
import { keepRows, placeOf, type Row, toRows, type Unfolding } from '../../web/features/sidebar/rows.ts';
import { between } from '../../web/features/sidebar/selection.ts';
import { survivor } from '../../web/features/sidebar/use-roving.ts';
import type { Sections } from '../../web/state/order.ts';

const EVERYTHING: Unfolding = {
  isOpen: () => true,
  moreLive: false,
  moreArchived: false,
  archivedAsked: true,
  filtering: false,
};

const SECTIONS: Sections = {
  required: ['r'],
  needed: 1,
  pinned: ['p'],
  folders: [{ name: 'f', ids: ['a', 'b'] }],
  loose: ['c'],
  days: [{ day: 'today', ids: ['c'] }],
  delegated: ['d'],
  archived: ['z'],
};

const NONE: Sections = {
  required: [],
  needed: 0,
  pinned: [],
  folders: [],
  loose: [],
  days: [],
  delegated: [],
  archived: [],
};

function keys(rows: readonly Row[]): string[] {
  return rows.map(({ key }) => key);
}

describe('the rows of the list', () => {
  it('are what is unfolded, top to bottom', () => {
    expect(keys(toRows(SECTIONS, EVERYTHING))).toEqual([
      'section:required',
      'r',
      'section:pinned',
      'p',
      'section:live',
      'day:today',
      'c',
      'folder:f',
      'a',
      'b',
      'section:delegated',
      'd',
      'section:archived',
      'z',
    ]);
  });

  it('leave out what is folded away, but not its heading and number', () => {
    const rows = toRows(SECTIONS, { ...EVERYTHING, isOpen: (key) => key !== 'folder:f' && key !== 'section:archived' });
    expect(keys(rows)).not.toContain('a');
    expect(rows.find(({ key }) => key === 'folder:f')).toMatchObject({ open: false, count: 2 });
    expect(rows.at(-1)).toMatchObject({ key: 'section:archived', open: false, count: 1 });
  });

  it('know their level, place and parent', () => {
    const rows = toRows(SECTIONS, EVERYTHING);
    const find = (key: string) => rows.find((row) => row.key === key);
    expect(find('b')).toMatchObject({ level: 3, position: 2, size: 2, parent: 'folder:f' });
    expect(find('day:today')).toMatchObject({ level: 2, position: 1, size: 2, parent: 'section:live' });
    expect(find('c')).toMatchObject({ level: 3, position: 1, size: 1, parent: 'day:today' });
    expect(find('section:live')).toMatchObject({ level: 1, position: 3, size: 5, parent: null });
  });

  it('end with what is still on the server, or with a word about there being nothing', () => {
    expect(keys(toRows(SECTIONS, { ...EVERYTHING, moreLive: true }))).toContain('more:live');
    expect(keys(toRows(NONE, EVERYTHING))).toEqual(['section:live', 'hint:live', 'section:archived', 'hint:archived']);
  });

  it('ask for archived sessions before saying that there are none', () => {
    const rows = toRows(NONE, { ...EVERYTHING, archivedAsked: false });
    expect(keys(rows)).toContain('more:archived');
    expect(rows.find(({ key }) => key === 'section:archived')).toMatchObject({ count: null });
  });

  it('unfold everything while somebody filters, and show only sections with something in them', () => {
    const rows = toRows(
      { ...NONE, folders: SECTIONS.folders },
      { ...EVERYTHING, isOpen: () => false, filtering: true },
    );
    expect(keys(rows)).toEqual(['section:live', 'folder:f', 'a', 'b']);
  });

  it('stay the same objects as long as nothing about them changes', () => {
    const before = toRows(SECTIONS, EVERYTHING);
    expect(keepRows(before, toRows(SECTIONS, EVERYTHING))).toBe(before);
    const after = keepRows(
      before,
      toRows({ ...SECTIONS, loose: ['n', 'c'], days: [{ day: 'today', ids: ['n', 'c'] }] }, EVERYTHING),
    );
    expect(after).not.toBe(before);
    expect(after.find(({ key }) => key === 'a')).toBe(before.find(({ key }) => key === 'a'));
  });
});

describe('a range of rows', () => {
  const rows = toRows(SECTIONS, EVERYTHING);

  it('is every session between its ends, whichever comes first', () => {
    expect(between(rows, 'p', 'b')).toEqual(['p', 'c', 'a', 'b']);
    expect(between(rows, 'b', 'p')).toEqual(['p', 'c', 'a', 'b']);
  });

  it('is the one row that is left when the other end is gone', () => {
    expect(between(rows, 'gone', 'b')).toEqual(['b']);
  });
});

describe('the place of the keyboard when its row is gone', () => {
  const before = toRows(SECTIONS, EVERYTHING);
  const at = (key: string) => before.findIndex((row) => row.key === key);
  const without = (...gone: readonly string[]) => before.filter(({ key }) => !gone.includes(key));

  it('is the next session below, whatever headings went with it', () => {
    const now = without('c', 'day:today');
    expect(now[survivor(before, at('c'), now)]?.key).toBe('a');
  });

  it('is the one above when nothing is left below, and the same place when no session is left', () => {
    const now = without('z');
    expect(now[survivor(before, at('z'), now)]?.key).toBe('d');
    const none = toRows(NONE, EVERYTHING);
    expect(none[survivor(before, at('c'), none)]).toBeDefined();
  });
});

describe('letting go of a session', () => {
  const rows = toRows(SECTIONS, EVERYTHING);
  const on = (key: string) => placeOf(rows.find((row) => row.key === key)!);

  it('files it, unfiles it, pins it or archives it', () => {
    expect(on('folder:f')).toEqual({ kind: 'folder', name: 'f' });
    expect(on('a')).toEqual({ kind: 'folder', name: 'f' });
    expect(on('c')).toEqual({ kind: 'folder', name: null });
    expect(on('section:live')).toEqual({ kind: 'folder', name: null });
    expect(on('day:today')).toEqual({ kind: 'folder', name: null });
    expect(on('p')).toEqual({ kind: 'pin', index: 0 });
    expect(on('section:archived')).toEqual({ kind: 'archive' });
    expect(on('r')).toBeNull();
    expect(on('d')).toBeNull();
  });
});
