import { describe, expect, test } from 'vitest';
import { RouteClient } from '../../client/route-client.ts';
import {
  countPlaces,
  hitsLive,
  hitsSaid,
  NOTHING,
  nearest,
  phraseOf,
  placesIn,
  searchSession,
  spansIn,
  step,
  toQuery,
} from '../../web/features/conversation/find/hits.ts';
import { conversation, message } from './conversation-fixtures.ts';

describe('a phrase', () => {
  const marked = (text: string, query: string) =>
    spansIn(text, phraseOf(query)).map(({ start, end }) => text.slice(start, end));

  test('is found letter by letter, not by its words', () => {
    expect(marked('It goes on and on. And on we go.', 'on and on')).toEqual(['on and on']);
    expect(marked('on, and: on', 'on and on')).toEqual([]);
    expect(marked('E = mc^2 and 2', 'mc^2')).toEqual(['mc^2']);
    expect(marked('Rebudgeting', 'budget')).toEqual(['budget']);
    expect(marked('what? -- why!', '--')).toEqual(['--']);
  });

  test('is found in any case, without accents and across a line end', () => {
    expect(marked('CAFÉ, cafe\u0301s', 'Café').map((one) => one.normalize('NFC'))).toEqual(['CAFÉ', 'café']);
    expect(marked('the\nEND', 'The end')).toEqual(['the\nEND']);
  });

  test('is counted where marks of Markdown stand in it', () => {
    expect(placesIn('Another **needle** and another needle', phraseOf('needle and'))).toBe(1);
  });

  test('is asked of the server as words in their order', () => {
    expect(toQuery(phraseOf('On and on'))).toBe('"on and on"*');
    expect(toQuery(phraseOf('mc^2'))).toBe('"mc 2"*');
    expect(toQuery(phraseOf('… -!'))).toBeNull();
  });

  test('of nothing but space is not looked for', () => {
    expect(phraseOf('  ')).toBe('');
    expect(hitsSaid(conversation([message('a')]), NOTHING, '')).toEqual([]);
  });
});

describe('what is found', () => {
  const state = conversation([
    message('c', { seq: 7, text: 'needle' }),
    message('d', { seq: 8, text: 'hay' }),
    message('e', { seq: 9, text: 'needles' }),
  ]);

  test('is what the server knows further up and what is loaded, each once, from top to bottom', () => {
    const hits = ['a', 'c', 'd'].map((key, at) => ({ key, seq: [2, 7, 8][at]!, places: 1 }));
    expect(hitsSaid(state, { hits, isCut: false }, 'needle').map(({ key }) => key)).toEqual(['a', 'c', 'e']);
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
    expect(hitsLive([live], 'needle')).toEqual([{ key: 'live t', seq: Number.POSITIVE_INFINITY, places: 1 }]);
    expect(hitsLive([live], 'hay')).toEqual([]);
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
  const answer: typeof fetch = async (url) => {
    const cursor = new URL(String(url)).searchParams.get('cursor') ?? undefined;
    asked.push(cursor);
    const page = Number(cursor ?? 0);
    const hits = [{ messageId: `m${page}`, seq: 1000 - page }];
    return Response.json({ hits, next: page < 20 ? String(page + 1) : null });
  };
  const client = new RouteClient({ baseUrl: 'http://parley.test', fetch: answer });
  const found = await searchSession(client, 's', 'a', new AbortController().signal);
  expect(asked).toHaveLength(10);
  expect(found.isCut).toBe(true);
  expect(found.hits.map(({ seq }) => seq)).toEqual(found.hits.map(({ seq }) => seq).toSorted((a, b) => a - b));
});
