import { describe, expect, it } from 'vitest';
import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import { toMatcher } from '../../web/features/sidebar/rows.ts';
import { folderNames, neighbour, openOrder, PIN_RANK, rankAt, toSections } from '../../web/state/order.ts';
import { approval, byId, NOBODY, session } from './sidebar-fixtures.ts';

function sections(sessions: readonly Session[], actions: readonly Action[] = []) {
  return toSections({ sessions: byId(...sessions), actions: byId(...actions), hidden: NOBODY });
}

describe('where a session is listed', () => {
  it('puts what was active last first', () => {
    const [old, middle, recent] = [session('old'), session('middle'), session('recent')];
    expect(sections([middle, old, recent]).loose).toEqual(['recent', 'middle', 'old']);
  });

  it('asks for the person where an action is open, and nowhere else besides', () => {
    const pinned = session('pinned', { pinnedAt: '2026-01-01T00:00:00Z' });
    const result = sections([pinned, session('quiet')], [approval('a', 'pinned')]);
    expect(result).toMatchObject({ required: ['pinned'], pinned: [], loose: ['quiet'] });
  });

  it('asks for the person where they began what led to the question, and only there', () => {
    const chain = [
      { agentId: 'lead', turnId: 't1', sessionId: 'root' },
      { agentId: 'coder', turnId: 't2', sessionId: 'child' },
    ];
    const result = sections([session('root'), session('child')], [approval('a', 'child', { chain })]);
    expect(result.required).toEqual(['root']);
  });

  it.each(['working', 'waiting', 'error'] as const)('lists a tool execution that is %s as required', (status) => {
    expect(sections([session('work', { type: 'tool-execution', status })]).required).toEqual(['work']);
  });

  it('lists a finished tool execution, and a conversation that works or failed, as live', () => {
    const done = session('done', { type: 'tool-execution', status: 'completed' });
    const works = session('works', { status: 'working' });
    const failed = session('failed', { status: 'error' });
    expect(sections([done, works, failed])).toMatchObject({ required: [], loose: ['failed', 'works', 'done'] });
  });

  it('lists whoever has waited longest first, and what only works last', () => {
    const works = session('works', { type: 'tool-execution', status: 'working' });
    const [first, second] = [session('first'), session('second')];
    const actions = [
      approval('b', 'second', { createdAt: '2026-01-02T00:00:00Z' }),
      approval('a', 'first', { createdAt: '2026-01-01T00:00:00Z' }),
    ];
    expect(sections([works, second, first], actions).required).toEqual(['first', 'second', 'works']);
  });

  it('keeps sessions between agents apart, unless they ask, are pinned or have a folder', () => {
    const between = (id: string, given: Partial<Session> = {}) => session(id, { delegatedFrom: 'mine', ...given });
    const all = [
      session('mine'),
      between('quiet'),
      between('filed', { folder: 'f' }),
      between('pinned', { pinnedAt: '2026-01-01T00:00:00Z' }),
      between('asks'),
    ];
    const result = sections(all, [approval('a', 'asks')]);
    expect(result).toMatchObject({ required: ['asks'], pinned: ['pinned'], loose: ['mine'], delegated: ['quiet'] });
    expect(result.folders).toEqual([{ name: 'f', ids: ['filed'] }]);
    expect(openOrder(result)).not.toContain('quiet');
  });

  it('lets an archived failure rest, but not an archived session that asks something', () => {
    const archivedAt = '2026-01-01T00:00:00Z';
    const failed = session('failed', { type: 'tool-execution', status: 'error', archivedAt });
    const asks = session('asks', { archivedAt });
    expect(sections([failed, asks], [approval('a', 'asks')])).toMatchObject({
      required: ['asks'],
      archived: ['failed'],
      loose: [],
    });
  });

  it('groups live sessions by folder, by name, with those without a folder below', () => {
    const result = sections([
      session('loose'),
      session('b1', { folder: 'beta' }),
      session('a1', { folder: 'Alpha' }),
      session('b2', { folder: 'beta' }),
    ]);
    expect(result.folders).toEqual([
      { name: 'Alpha', ids: ['a1'] },
      { name: 'beta', ids: ['b2', 'b1'] },
    ]);
    expect(result.loose).toEqual(['loose']);
  });

  it('groups sessions without a folder by calendar days, newest first', () => {
    const now = new Date(2026, 4, 20, 0, 30).getTime();
    const at = (day: number, hour: number) => new Date(2026, 4, day, hour).toISOString();
    const sessions = byId(
      session('just now', { lastActivityAt: new Date(now - 60_000).toISOString() }),
      session('last evening', { lastActivityAt: at(19, 23) }),
      session('on Friday', { lastActivityAt: at(15, 9) }),
      session('in April', { lastActivityAt: new Date(2026, 3, 28).toISOString() }),
      session('last year', { lastActivityAt: new Date(2025, 3, 28).toISOString() }),
    );
    expect(toSections({ sessions, actions: byId(), hidden: NOBODY, now }).days).toEqual([
      { day: 'today', ids: ['just now'] },
      { day: 'yesterday', ids: ['last evening'] },
      { day: 'week', ids: ['on Friday'] },
      { day: 'month', ids: ['in April'] },
      { day: 'older', ids: ['last year'] },
    ]);
  });

  it('lists what an agent asks before what has failed, however long ago that was', () => {
    const [failed, asks] = [session('failed'), session('asks')];
    const actions = [
      approval('f', 'failed', { kind: 'failure', createdAt: '2026-01-01T00:00:00Z' }),
      approval('a', 'asks', { createdAt: '2026-01-02T00:00:00Z' }),
    ];
    expect(sections([failed, asks], actions).required).toEqual(['asks', 'failed']);
  });

  it('leaves out what is about to be deleted and what does not match', () => {
    const sessions = byId(session('kept'), session('gone'), session('other'));
    const matches = ({ id }: Session) => id !== 'other';
    expect(toSections({ sessions, actions: byId(), hidden: new Set(['gone']), matches }).loose).toEqual(['kept']);
  });
});

describe('the order of pins', () => {
  const pin = (id: string, minute: number, rank?: number) =>
    session(id, {
      pinnedAt: `2026-01-01T00:0${minute}:00.000Z`,
      ...(rank !== undefined && { attributes: { [PIN_RANK]: rank } }),
    });

  it('is the order in which they were made', () => {
    expect(sections([pin('b', 2), pin('a', 1), pin('c', 3)]).pinned).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [0, ['moved', 'a', 'b', 'c']],
    [1, ['a', 'moved', 'b', 'c']],
    [3, ['a', 'b', 'c', 'moved']],
  ])('gives a rank that puts one before number %i', (index, expected) => {
    const pins = [pin('a', 1), pin('b', 2), pin('c', 3)];
    expect(sections([...pins, pin('moved', 9, rankAt(pins, index))]).pinned).toEqual(expected);
  });
});

describe('where one comes to when a session is closed', () => {
  it('is the one below, else the one above, else nowhere', () => {
    const order = ['a', 'b', 'c'];
    expect(neighbour(order, 'b', new Set(['b']))).toBe('c');
    expect(neighbour(order, 'c', new Set(['c']))).toBe('b');
    expect(neighbour(order, 'a', new Set(['a', 'b']))).toBe('c');
    expect(neighbour(order, 'b', new Set(order))).toBeNull();
  });

  it('is never an archived one', () => {
    const archived = session('archived', { archivedAt: '2026-01-01T00:00:00Z' });
    const order = openOrder(sections([session('only'), archived]));
    expect(neighbour(order, 'only', new Set(['only']))).toBeNull();
  });

  it('is the first of the list when the closed one is not in it', () => {
    expect(neighbour(['a', 'b'], 'elsewhere', new Set(['elsewhere']))).toBe('a');
  });
});

describe('finding sessions', () => {
  const names = new Map([['coder', 'The Coder']]);

  it('looks for every word in title, folder and names', () => {
    const matches = toMatcher('code INVOICE', names)!;
    expect(matches(session('s', { title: 'Invoice module' }))).toBe(true);
    expect(matches(session('s', { title: 'Invoice module', agentId: null }))).toBe(false);
    expect(matches(session('s', { title: 'Other', folder: 'Invoices', agentId: null, agents: ['coder'] }))).toBe(true);
  });

  it('matches everything when nothing is asked', () => {
    expect(toMatcher('  ', names)).toBeUndefined();
  });

  it('knows every folder, also of archived and pinned sessions', () => {
    const archivedAt = '2026-01-01T00:00:00Z';
    const all = byId(session('a', { folder: 'x10' }), session('b', { folder: 'x9', archivedAt }), session('c'));
    expect(folderNames(all)).toEqual(['x9', 'x10']);
  });
});
