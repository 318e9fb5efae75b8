import { describe, expect, test } from 'vitest';
import { countPlaces, hitsLive, hitsSaid, NOTHING, nearest, step } from '../../web/features/conversation/find/hits.ts';
import { searchSession } from '../../web/features/conversation/find/search-session.ts';
import { hasAll, spansIn, toQuery, wordsIn } from '../../web/features/conversation/find/words.ts';
import { conversation, message } from './conversation-fixtures.ts';

describe('words', () => {
  test('are looked for by their beginnings, in any case and without accents', () => {
    expect(wordsIn('  Café, BUDGET café ')).toEqual(['cafe', 'budget']);
    expect(toQuery(['cafe', 'budget'])).toBe('"cafe"* "budget"*');
    expect(hasAll('The budgets of the CAFÉ', ['cafe', 'budget'])).toBe(true);
    expect(hasAll('The budgets', ['cafe', 'budget'])).toBe(false);
    expect(hasAll('rebudget cafe', ['budget'])).toBe(false);
  });

  test('are marked as far as they are what is looked for', () => {
    const text = 'Cafés and cafe\u0301s, decaf';
    const marked = spansIn(text, ['cafe']).map(({ start, end }) => text.slice(start, end));
    expect(marked.map((one) => one.normalize('NFC'))).toEqual(['Café', 'café']);
  });

  test('that are none are not looked for', () => {
    expect(wordsIn('… -!')).toEqual([]);
    expect(hitsSaid(conversation([message('a')]), NOTHING, [])).toEqual([]);
  });
});

describe('what is found', () => {
  const state = conversation([
    message('c', { seq: 7, text: 'needle' }),
    message('d', { seq: 8, text: 'hay' }),
    message('e', { seq: 9, text: 'needles' }),
  ]);
  const found = {
    hits: [
      { key: 'a', seq: 2, places: 1 },
      { key: 'c', seq: 7, places: 1 },
    ],
    upto: 8,
    isCut: false,
  };

  test('is what the server knows and what was said since, each once, from top to bottom', () => {
    expect(hitsSaid(state, found, ['needle']).map(({ key }) => key)).toEqual(['a', 'c', 'e']);
    const late = { ...found, hits: [...found.hits, { key: 'e', seq: 9, places: 1 }] };
    expect(hitsSaid(state, late, ['needle']).map(({ key }) => key)).toEqual(['a', 'c', 'e']);
  });

  test('leaves out what is gone from what is loaded, and keeps what is not loaded', () => {
    const gone = {
      ...found,
      hits: [
        { key: 'a', seq: 2, places: 1 },
        { key: 'b', seq: 7, places: 1 },
      ],
    };
    expect(hitsSaid(state, gone, ['needle']).map(({ key }) => key)).toEqual(['a', 'e']);
  });

  test('holds what is being said', () => {
    const live = {
      turnId: 't',
      agentId: 'ada',
      guest: false,
      after: null,
      ahead: [],
      retry: null,
      parts: [{ part: 0, kind: 'text' as const, text: 'A needle' }],
    };
    expect(hitsLive([live], ['needle'])).toEqual([{ key: 'live t', seq: Number.POSITIVE_INFINITY, places: 1 }]);
    expect(hitsLive([live], ['hay'])).toEqual([]);
  });

  test('begins at what is seen, else at the last, and goes round', () => {
    const hits = ['a', 'b', 'c'].map((key, index) => ({ key, seq: index * 10, places: 1 }));
    expect(nearest(hits, 5)?.key).toBe('b');
    expect(nearest(hits, 99)?.key).toBe('c');
    expect(step(hits, { key: 'c', at: 0 }, 1)?.key).toBe('a');
    expect(step(hits, { key: 'a', at: 0 }, -1)?.key).toBe('c');
    expect(step(hits, null, 1)?.key).toBe('a');
    expect(step(hits, null, -1)?.key).toBe('c');
    expect(step([], null, 1)).toBeUndefined();
  });

  test('is counted and stepped through place by place', () => {
    const hits = [
      { key: 'a', seq: 1, places: 3 },
      { key: 'b', seq: 2, places: 2 },
    ];
    expect(step(hits, { key: 'a', at: 1 }, 1)).toEqual({ key: 'a', at: 2 });
    expect(step(hits, { key: 'a', at: 2 }, 1)).toEqual({ key: 'b', at: 0 });
    expect(step(hits, { key: 'a', at: 0 }, -1)).toEqual({ key: 'b', at: 1 });
    expect(countPlaces(hits, { key: 'b', at: 1 })).toEqual({ index: 5, count: 5 });
    expect(countPlaces(hits, null)).toEqual({ index: 0, count: 5 });
  });
});

test('every page of what the server finds is read, up to a limit that is told', async () => {
  const asked: (string | undefined)[] = [];
  const client = {
    search: async ({ cursor }: { cursor?: string | undefined }) => {
      asked.push(cursor);
      const page = Number(cursor ?? 0);
      const hits = [{ messageId: `m${page}`, seq: 1000 - page }];
      return { hits, next: page < 20 ? String(page + 1) : null } as never;
    },
  };
  const found = await searchSession(client, 's', ['a'], 5, new AbortController().signal);
  expect(asked).toHaveLength(10);
  expect(found.isCut).toBe(true);
  expect(found.hits.map(({ seq }) => seq)).toEqual(found.hits.map(({ seq }) => seq).toSorted((a, b) => a - b));
});
