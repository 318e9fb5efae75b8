import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { MessageSearch } from '../../server/sessions/search.ts';
import { parseSearch } from '../../server/sessions/search-query.ts';
import { OWNER, StoredSessions } from './stored-sessions.ts';

let stored: StoredSessions;
let search: MessageSearch;
let week: { id: string };

beforeAll(async () => {
  stored = await StoredSessions.open();
  search = new MessageSearch(stored.file);
  const { session } = await stored.add(
    { name: 'My Week', agentId: 'wisp/concierge' },
    [
      { text: 'What is on today? The budget review?', at: Date.parse('2026-01-10T10:00:00Z') },
      {
        by: 'wisp/concierge',
        text: 'The BUDGET meeting, then coffee at the café.',
        at: Date.parse('2026-01-11T10:00:00Z'),
      },
      { by: 'wisp/scheduler', guest: true, text: 'I can clear my afternoon for you.' },
      { text: 'Say "hello" AND goodbye; NEAR(x) OR text:foo -bar' },
      { text: 'the waiting budget', queued: true },
    ],
    [{ upto: 1, summary: 'meetings' }],
  );
  week = session;
  // What follows is not in the index yet.
  await stored.index();
  await stored.add({ id: 'other' }, [
    { text: 'pineapple one' },
    { by: 'user', text: 'pineapple of an agent called user' },
    { by: null, text: 'pineapple from before names' },
    { text: 'pineapple on another branch', after: null },
    { text: 'pineapple on the branch shown', after: 2 },
  ]);
  await stored.add({}, [{ text: 'budget of a stranger' }], [], 'eve');
});

afterAll(async () => {
  await search.close();
  await stored[Symbol.asyncDispose]();
});

async function texts(q: string, owner = OWNER): Promise<string[]> {
  return (await search.search(owner, { q, limit: 20 })).hits.map((hit) => hit.snippet);
}

describe('what is found', () => {
  test('words in any case and with or without accents, newest first, archived ones too', async () => {
    expect(await texts('budget')).toEqual([
      'The BUDGET meeting, then coffee at the café.',
      'What is on today? The budget review?',
    ]);
    expect(await texts('CAFE')).toHaveLength(1);
    expect(await texts('cafe\u0301')).toHaveLength(1);
  });

  test('all words must be there, excluded ones must not', async () => {
    expect(await texts('budget coffee')).toHaveLength(1);
    expect(await texts('budget -coffee')).toEqual(['What is on today? The budget review?']);
    expect(await texts('budget -"budget review" -tea')).toHaveLength(1);
  });

  test('phrases and beginnings of words', async () => {
    expect(await texts('"clear my afternoon"')).toHaveLength(1);
    expect(await texts('“clear my afternoon”')).toHaveLength(1);
    expect(await texts('"afternoon clear"')).toEqual([]);
    expect(await texts('after*')).toHaveLength(1);
    expect(await texts('"my after"*')).toHaveLength(1);
    expect(await texts('after')).toEqual([]);
  });

  test('messages on every branch, but nothing that still waits in the queue', async () => {
    expect(await texts('pineapple branch')).toHaveLength(2);
    expect(await texts('waiting')).toEqual([]);
  });

  test('only what the owner has', async () => {
    expect(await texts('stranger')).toEqual([]);
    expect(await texts('stranger', 'eve')).toHaveLength(1);
    expect(await texts(`session:${week.id}`, 'eve')).toEqual([]);
    expect(await texts('session:"my week" budget', 'eve')).toEqual([]);
    expect(await texts('after:2000-01-01', 'eve')).toHaveLength(1);
  });

  test('filters by speaker; an agent called user is not the person', async () => {
    expect(await texts('agent:wisp/scheduler')).toEqual(['I can clear my afternoon for you.']);
    expect(await texts('agent:wisp/scheduler agent:WISP/concierge')).toHaveLength(2);
    expect(await texts('from:wisp/concierge budget')).toHaveLength(1);
    expect(await texts('from:user budget')).toEqual(['What is on today? The budget review?']);
    expect(await texts('from:user pineapple')).toHaveLength(3);
    expect(await texts('agent:user')).toEqual(['pineapple of an agent called user']);
    expect(await texts('from:assistant')).toEqual(['pineapple from before names']);
  });

  test('words inside Chinese and Japanese sentences, which have no spaces', async () => {
    await stored.add({ id: 'travel' }, [
      { text: '我们明天去北京开会。' },
      { text: '東京タワーで会いましょう。iPhone手机也行' },
      { text: '京都の天気' },
    ]);
    const found = async (q: string) => (await texts(q)).map((snippet) => snippet.slice(0, 2));
    expect(await found('北京')).toEqual(['我们']);
    expect(await found('東京')).toEqual(['東京']);
    expect(await found('明天 开会')).toEqual(['我们']);
    expect(await found('去北京开会')).toEqual(['我们']);
    expect(await found('京')).toEqual(['京都', '東京', '我们']);
    expect(await found('会')).toEqual(['東京', '我们']);
    expect(await found('タワー')).toEqual(['東京']);
    expect(await found('iphone手机')).toEqual(['東京']);
    expect(await found('手机')).toEqual(['東京']);
    expect(await found('京 -北京')).toEqual(['京都', '東京']);
    expect(await found('"北京 明天"')).toEqual([]);
    expect(await found('京北')).toEqual([]);
    expect(await found('天気*')).toEqual(['京都']);
    const { hits } = await search.search(OWNER, { q: '京 開 天気', limit: 5 });
    expect(hits).toEqual([]);
    const [hit] = (await search.search(OWNER, { q: '京 天気', limit: 5 })).hits;
    expect(hit!.matches.map(({ start, end }) => hit!.snippet.slice(start, end))).toEqual(['京', '天気']);
  });

  test('filters by session id or name, and by time', async () => {
    expect(await texts('session:other one')).toHaveLength(1);
    expect(await texts('session:"my week"')).toHaveLength(4);
    expect(await texts('session:OTHER')).toEqual([]);
    expect(await texts('session:nowhere budget')).toEqual([]);
    expect(await texts('budget before:2026-01-11')).toHaveLength(1);
    expect(await texts('budget after:2026-01-11T10:00 before:2026-01-11T11:00+00:00')).toHaveLength(1);
    expect(await texts('session:"my week" after:1d')).toHaveLength(2);
    expect(await texts('before:2026-01-12')).toHaveLength(2);
  });

  test('within one session only what is shown of it, whatever the words say of sessions', async () => {
    const within = async (q: string, session: string, owner = OWNER) =>
      (await search.search(owner, { q, session, limit: 20 })).hits.map((hit) => hit.snippet);
    expect(await within('pineapple', 'other')).toEqual([
      'pineapple on the branch shown',
      'pineapple from before names',
      'pineapple of an agent called user',
      'pineapple one',
    ]);
    expect(await within('budget', 'other')).toEqual([]);
    expect(await within('budget session:"my week"', 'other')).toEqual([]);
    expect(await within('pineapple', 'other', 'eve')).toEqual([]);
  });

  test('a message that is deleted is found no more', async () => {
    const { session } = await stored.add({}, [{ text: 'ephemeral xylophone' }]);
    expect(await texts('xylophone')).toHaveLength(1);
    await stored.remove(session.id);
    expect(await texts('xylophone')).toEqual([]);
  });

  test('pages go on where the one before ended, also when something is said meanwhile', async () => {
    const { session } = await stored.add(
      {},
      Array.from({ length: 7 }, (_, index) => ({ text: `walnut ${index}` })),
    );
    const seen: number[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 3; pages++) {
      const page = await search.search(OWNER, { q: 'walnut', limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.hits.map((hit) => hit.seq));
      expect(page.next === null).toBe(pages === 2);
      cursor = page.next ?? undefined;
      if (pages === 0) await stored.add({}, [{ text: 'a late walnut' }]);
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
    await stored.remove(session.id);
    await expect(search.search(OWNER, { q: 'walnut', limit: 3, cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('a hit says where it is', async () => {
    const { hits } = await search.search(OWNER, { q: 'coffee', limit: 1 });
    expect(hits[0]).toMatchObject({ sessionId: week.id, sessionTitle: 'My Week', seq: 2, role: 'assistant' });
    expect(hits[0]).toMatchObject({ agent: 'wisp/concierge', position: 25, matches: [{ start: 25, end: 31 }] });
    expect(hits[0]!.createdAt).toBe('2026-01-11T10:00:00.000Z');
  });
});

describe('what is refused', () => {
  test.each([
    ['   ', /Enter a word/],
    ['???', /Enter a word/],
    ['"open', /quotation mark/],
    ['foo agent:"open', /quotation mark/],
    ['agent:', /agent: needs a value/],
    ['session:""', /session: needs a value/],
    ['-only', /Excluded words alone/],
    ['-only after:1d', /Excluded words alone/],
    ['foo -agent:x', /can't be excluded/],
    ['before:soon', /before:soon is not a time/],
    ['after:2026-02-31', /is not a time/],
    [Array.from({ length: 33 }, (_, index) => `w${index}`).join(' '), /at most 32/],
  ])('%s', async (q, message) => {
    const asked = search.search(OWNER, { q, limit: 5 });
    await expect(asked).rejects.toMatchObject({ code: 'search_invalid', message: expect.stringMatching(message) });
  });

  test('operators of the index are ordinary words', async () => {
    expect(await texts('hello AND goodbye NEAR')).toHaveLength(1);
    expect(await texts('text:foo')).toHaveLength(1);
    expect(await texts('tags:foo')).toEqual([]);
    expect(await texts('he"llo" * ^say --bar (x)')).toEqual([]);
    expect(await texts('^say --bar (x)')).toHaveLength(1);
  });

  test('no input at all is an error of the database', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '"',
        '*',
        '-',
        ' ',
        '(',
        ')',
        ':',
        'NOT',
        'AND',
        'agent:',
        'from:',
        'after:1d',
        '\0',
        "'",
        '{text}',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const outcome = await search.search(OWNER, { q: pieces.join(''), limit: 5 }).catch((error: unknown) => error);
        if (outcome instanceof AppError) expect(outcome.code).toBe('search_invalid');
        else expect(outcome).toHaveProperty('hits');
      }),
      { numRuns: 300 },
    );
  });

  test('times are read in any of their forms', () => {
    const now = Date.parse('2026-03-01T00:00:00Z');
    expect(parseSearch('after:2w', now).after).toBe(Date.parse('2026-02-15T00:00:00Z'));
    expect(parseSearch('after:7d after:1d', now).after).toBe(Date.parse('2026-02-28T00:00:00Z'));
    expect(parseSearch('before:"2026-01-31 10:30"', now).before).toBe(Date.parse('2026-01-31T10:30:00Z'));
    expect(parseSearch('before:2026-01-31T10:30:05.123+01:00', now).before).toBe(
      Date.parse('2026-01-31T09:30:05.123Z'),
    );
  });
});

describe('the thread', () => {
  test('a search that looks for too long ends with advice, and the next one is answered', async () => {
    const impatient = new MessageSearch(stored.file, { limitMs: -1 });
    await expect(impatient.search(OWNER, { q: 'budget', limit: 5 })).rejects.toMatchObject({
      code: 'search_invalid',
      message: expect.stringContaining('too long'),
    });
    expect((await impatient.search(OWNER, { q: 'nowhere', limit: 5 })).hits).toEqual([]);
    await impatient.close();
  });

  test('is replaced when it hangs or crashes; others still get their answer', async () => {
    const thread = path.join(path.dirname(stored.file), 'moody.mjs');
    await writeFile(
      thread,
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ search }) => {
         const mood = search.terms[0].text;
         if (mood === 'hang') for (;;);
         if (mood === 'crash') throw new Error('crashed');
         parentPort.postMessage({ answer: { hits: [], rids: [] } });
       });`,
    );
    const moody = new MessageSearch(stored.file, { limitMs: -500, thread: pathToFileURL(thread) });
    const [hung, crashed, answered] = await Promise.allSettled(
      ['hang', 'crash', 'fine'].map((q) => moody.search(OWNER, { q, limit: 5 })),
    );
    expect(hung).toMatchObject({ reason: { code: 'search_invalid' } });
    expect(crashed).toMatchObject({ reason: { code: 'storage_unavailable' } });
    expect(answered).toMatchObject({ status: 'fulfilled' });
    await moody.close();
  });

  test('many searches at once are all answered, too many are refused, and closing leaves none waiting', async () => {
    const busy = new MessageSearch(stored.file, { waiting: 20 });
    const asked = Array.from({ length: 25 }, () => busy.search(OWNER, { q: 'budget', limit: 5 }));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(21);
    expect(outcomes.at(-1)).toMatchObject({ reason: { code: 'overloaded' } });
    const last = busy.search(OWNER, { q: 'budget', limit: 5 });
    const closed = expect(last).rejects.toMatchObject({ code: 'shutting_down' });
    await busy.close();
    await closed;
    await expect(busy.search(OWNER, { q: 'budget', limit: 5 })).rejects.toMatchObject({ code: 'shutting_down' });
  });

  test('ends when idle and starts again when asked', async () => {
    const brief = new MessageSearch(stored.file, { idleMs: 1 });
    expect((await brief.search(OWNER, { q: 'budget', limit: 5 })).hits).toHaveLength(2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await brief.search(OWNER, { q: 'budget', limit: 5 })).hits).toHaveLength(2);
    await brief.close();
  });

  test('a database that cannot be opened is said so', async () => {
    const lost = new MessageSearch(path.join(path.dirname(stored.file), 'missing.db'));
    await expect(lost.search(OWNER, { q: 'budget', limit: 5 })).rejects.toMatchObject({ code: 'storage_unavailable' });
    await lost.close();
  });
});
