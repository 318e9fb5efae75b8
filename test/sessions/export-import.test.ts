import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { ExportedSession } from '../../contract/sessions.ts';
import { exportMarkdown, exportSession, exportSessionText } from '../../server/sessions/export.ts';
import { quoteText } from '../../server/sessions/export-quote.ts';
import { importSession } from '../../server/sessions/import.ts';
import { MessageSearch } from '../../server/sessions/search.ts';
import { Sessions } from '../../server/sessions/sessions.ts';
import { readMessages } from '../../server/sessions/transcript.ts';
import { OWNER, type Said, StoredSessions, type Summarised } from './stored-sessions.ts';

let stored: StoredSessions;

beforeAll(async () => {
  stored = await StoredSessions.open();
});

afterAll(() => stored[Symbol.asyncDispose]());

const AGENTS = ['wisp/concierge', 'wisp/scheduler', 'a_b', 'user'];

/** Sessions with several branches, guests, untagged and interrupted voices, summaries and any text. */
const conversations: fc.Arbitrary<{ said: Said[]; summaries: Summarised[] }> = fc
  .array(
    fc.record({
      by: fc.constantFrom(...AGENTS, null, undefined),
      guest: fc.boolean(),
      interrupted: fc.boolean(),
      text: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), lines(), fc.constant('')),
      back: fc.integer({ min: 0, max: 3 }),
      at: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      reasoning: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .chain((drafts) => fc.record({ drafts: fc.constant(drafts), upto: fc.array(fc.nat(12), { maxLength: 3 }) }))
  .map(({ drafts, upto }) => ({
    said: drafts.map(({ by, guest, back, reasoning, ...draft }, index) => ({
      ...draft,
      ...(by !== undefined && { by }),
      guest: guest && typeof by === 'string',
      interrupted: draft.interrupted && by !== undefined,
      // Mostly it goes on; sometimes another branch begins.
      ...(back > 0 && index > back && { after: index - 1 - back }),
      ...(reasoning && {
        parts: [
          { type: 'reasoning' as const, text: 'hm' },
          { type: 'text' as const, text: draft.text },
        ],
      }),
    })),
    summaries: [...new Set(upto)]
      .sort((a, b) => a - b)
      .map((last) => ({ upto: last, summary: `Up to ${last}\n# all` })),
  }));

function lines(): fc.Arbitrary<string> {
  const hostile = fc.constantFrom(
    '**User** · #1',
    '# Title',
    '```',
    '---',
    '> **User**',
    '</blockquote>',
    '<!--',
    'x',
    '',
    ' ~~~',
    '## Other branches',
  );
  return fc
    .array(fc.tuple(hostile, fc.constantFrom('\n', '\r\n', '\r', '\u2028', '\v')), { maxLength: 6 })
    .map((all) => all.flat().join(''));
}

/** Ids are new in every copy: they are named by their place, so that everything else can be compared. */
function withoutIds(file: ExportedSession) {
  const places = new Map(file.messages.map((message) => [message.id, message.seq]));
  const compactions = new Map(file.compactions.map((compaction, index) => [compaction.id, index]));
  const place = (id: string | null) => (id === null ? null : places.get(id));
  return {
    session: file.session,
    messages: file.messages.map(({ id, parentId, compactionId, ...rest }) => ({
      ...rest,
      id: place(id),
      parentId: place(parentId),
      compactionId: compactionId && compactions.get(compactionId),
    })),
    compactions: file.compactions.map(({ id: _, lastMessageId, ...rest }) => ({ ...rest, last: place(lastMessageId) })),
  };
}

describe('export and import', () => {
  test('attribution, words, order, times, branches and summaries survive both, whatever was said', async () => {
    await fc.assert(
      fc.asyncProperty(conversations, async ({ said, summaries }) => {
        const { session } = await stored.add(
          { agentId: 'wisp/concierge', attributes: { a: { b: [1] } } },
          said,
          summaries,
        );
        const first = await exportSession(stored.log.db, OWNER, session.id);
        const copy = await importSession(stored.log, OWNER, JSON.parse(JSON.stringify(first)));
        const second = await exportSession(stored.log.db, OWNER, copy.id);
        expect(withoutIds(second)).toEqual(withoutIds(first));
        expect(ExportedSession.safeParse(first).success).toBe(true);
        expect(first.messages.map((message) => message.agent)).toEqual(said.map((message) => message.by ?? null));
        expect(copy).toMatchObject({
          agents: session.agents,
          messageCount: session.messageCount,
          agentId: session.agentId,
        });
        const all = new Set([...first.messages, ...second.messages].map((message) => message.id));
        expect(all.size).toBe(2 * said.length);
      }),
      { numRuns: 60 },
    );
  });

  test('an imported session reads like the original and can be found', async () => {
    const { session, ids } = await stored.add({ name: 'Original' }, [
      { text: 'zebra question' },
      { by: 'a', text: 'first zebra' },
      { by: 'b', guest: true, text: 'second zebra', after: 0 },
    ]);
    const file = await exportSession(stored.log.db, OWNER, session.id);
    const copy = await importSession(stored.log, OWNER, file, 'Copy');
    expect(copy).toMatchObject({
      name: 'Copy',
      status: 'active',
      messageCount: 2,
      lastSnippet: 'second zebra',
      unreadCount: 0,
    });
    const read = await readMessages(stored.log.db, OWNER, copy.id, { limit: 10 });
    expect(read.messages.map((message) => [message.text, message.agent, message.guest])).toEqual([
      ['zebra question', null, false],
      ['second zebra', 'b', true],
    ]);
    expect(read.messages[1]!.siblings).toHaveLength(2);
    expect(ids).not.toContain(read.messages[0]!.id);
    const search = new MessageSearch(stored.file);
    expect((await search.search(OWNER, { q: 'zebra session:copy', limit: 9 })).hits).toHaveLength(3);
    await search.close();
  });

  test('the text in pieces is the same export', async () => {
    const { session } = await stored.add(
      {},
      Array.from({ length: 1203 }, (_, index) => ({ text: `no ${index}` })),
    );
    const whole = await exportSession(stored.log.db, OWNER, session.id);
    let text = '';
    for await (const piece of exportSessionText(stored.log.db, OWNER, session.id)) text += piece;
    expect({ ...JSON.parse(text), exportedAt: '' }).toEqual({ ...whole, exportedAt: '' });
    expect(whole.messages).toHaveLength(1203);
    const copy = await importSession(stored.log, OWNER, whole);
    expect(copy.messageCount).toBe(1203);
  });

  test('what still waits in the queue has not been said', async () => {
    const { session } = await stored.add({}, [{ text: 'said' }, { text: 'waits', queued: true }]);
    expect((await exportSession(stored.log.db, OWNER, session.id)).messages.map((message) => message.text)).toEqual([
      'said',
    ]);
    expect(await exportMarkdown(stored.log.db, OWNER, session.id)).not.toContain('waits');
  });

  test('a stranger exports nothing', async () => {
    const { session } = await stored.add({}, [{ text: 'mine' }]);
    await expect(exportSession(stored.log.db, 'eve', session.id)).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(exportMarkdown(stored.log.db, 'eve', session.id)).rejects.toMatchObject({ code: 'session_not_found' });
  });

  test('a name that is asked for must be free; one from the file gives way to the title', async () => {
    const { session } = await stored.add({ name: 'Taken' }, [{ text: 'x' }]);
    const file = await exportSession(stored.log.db, OWNER, session.id);
    expect(await importSession(stored.log, OWNER, file)).toMatchObject({ name: null, title: 'Taken' });
    await expect(importSession(stored.log, OWNER, file, 'Taken')).rejects.toMatchObject({ code: 'session_name_taken' });
    expect(await importSession(stored.log, 'eve', file)).toMatchObject({ name: 'Taken' });
  });
});

describe('plain session files', () => {
  test('an old one: its agent is the primary, its answers stay untagged', async () => {
    const session = await importSession(stored.log, OWNER, {
      agent: 'wisp/concierge',
      messages: [
        { role: 'user', content: "what's on?" },
        { role: 'assistant', content: 'Three meetings.' },
      ],
    });
    expect(session).toMatchObject({ agentId: 'wisp/concierge', agents: [], title: "what's on?", messageCount: 2 });
    const { messages } = await readMessages(stored.log.db, OWNER, session.id, { limit: 9 });
    expect(messages.map(({ role, agent, text }) => ({ role, agent, text }))).toEqual([
      { role: 'user', agent: null, text: "what's on?" },
      { role: 'assistant', agent: null, text: 'Three meetings.' },
    ]);
  });

  test('a new one: everyone keeps their words, the last speaker is the primary', async () => {
    const session = await importSession(
      stored.log,
      OWNER,
      {
        messages: [
          { role: 'user', content: "hello what's on for today?" },
          { role: 'assistant', agent: 'wisp/concierge', content: 'You have 3 meetings...' },
          { role: 'user', content: 'can you clear my afternoon?' },
          { role: 'assistant', agent: 'wisp/scheduler', content: "I'll help with that..." },
        ],
      },
      'today',
    );
    expect(session).toMatchObject({
      agentId: 'wisp/scheduler',
      agents: ['wisp/concierge', 'wisp/scheduler'],
      name: 'today',
    });
    const found = await new Sessions(stored.log).list(OWNER, { limit: 5, agent: 'wisp/concierge', name: 'today' });
    expect(found.sessions).toHaveLength(1);
  });

  test('an empty one is an empty session without a primary', async () => {
    expect(await importSession(stored.log, OWNER, { messages: [] })).toMatchObject({
      agentId: null,
      status: 'idle',
      title: 'New session',
    });
  });
});

describe('what is not imported', () => {
  const said = { role: 'user', content: 'x' };

  async function refusal(body: unknown): Promise<string[]> {
    const before = await countRows();
    const outcome = await importSession(stored.log, OWNER, body).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(AppError);
    expect(outcome).toMatchObject({ code: 'import_invalid' });
    expect(await countRows()).toEqual(before);
    return (outcome as AppError).issues!;
  }

  async function countRows() {
    const { sessions } = await new Sessions(stored.log).list(OWNER, { limit: 200 });
    return { sessions: sessions.length, newest: sessions[0]?.id };
  }

  test.each([
    [null, 'the file must be a JSON object'],
    [[said], 'the file must be a JSON object'],
    [{}, 'messages is missing'],
    [{ messages: 'x' }, 'messages must be an array'],
    [
      { messages: [said, said, said, { role: 'system', content: 'x' }] },
      'messages[3].role must be "user" or "assistant"',
    ],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content must be a string'],
    [
      { messages: [{ role: 'assistant', agent: '../etc', content: '' }] },
      /^messages\[0\]\.agent must be made of letters/,
    ],
    [
      { messages: [{ role: 'user', content: 'ü'.repeat(500_001) }] },
      'messages[0].content must hold at most 1000000 bytes',
    ],
    [{ format: 'other', messages: [] }, 'format must be "parley.session"'],
  ])('%#', async (body, issue) => {
    expect(await refusal(body)).toContainEqual(typeof issue === 'string' ? issue : expect.stringMatching(issue));
  });

  test('a message of the largest size is', async () => {
    const session = await importSession(stored.log, OWNER, {
      messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }],
    });
    expect(session.messageCount).toBe(1);
  });

  async function exported() {
    const { session } = await stored.add(
      {},
      [{ text: 'a' }, { by: 'b', text: 'b' }, { text: 'c', after: 0 }],
      [{ upto: 0, summary: 's' }],
    );
    return JSON.parse(JSON.stringify(await exportSession(stored.log.db, OWNER, session.id)));
  }

  type File = Awaited<ReturnType<typeof exported>>;

  test.each<[string, (file: File) => void, string]>([
    ['version', (file) => (file.version = 2), 'version must be 1'],
    ['unknown field', (file) => (file.command = 'rm'), 'the file must not have the field command'],
    ['agents', (file) => (file.session.agents = [{ command: 'rm' }]), 'session must not have the field agents'],
    ['repeated id', (file) => (file.messages[1].id = file.messages[0].id), 'messages[1].id must be unique'],
    [
      'order',
      (file) => (file.messages[1].seq = 1),
      'messages[1].seq must be greater than 1, that of the message before',
    ],
    [
      'parent',
      (file) => (file.messages[1].parentId = 'x'),
      'messages[1].parentId must be null or the id of an earlier message',
    ],
    [
      'own parent',
      (file) => (file.messages[0].parentId = file.messages[0].id),
      'messages[0].parentId must be null or the id of an earlier message',
    ],
    [
      'two heads',
      (file) => (file.messages[1].onPath = true),
      'messages[2].onPath must be false: the message does not follow the one before it on the path',
    ],
    ['voice', (file) => (file.messages[0].agent = 'b'), 'messages[0].agent must be null: a person said it'],
    ['guest', (file) => (file.messages[0].guest = true), 'messages[0].guest must be false: no agent is named'],
    ['words', (file) => (file.messages[1].text = 'other'), 'messages[1].text must be the text of its parts'],
    [
      'queued',
      (file) => (file.messages[1].status = 'queued'),
      'messages[1].status must be "complete" or "interrupted"',
    ],
    [
      'time',
      (file) => (file.messages[1].createdAt = 'now'),
      'messages[1].createdAt must be a time like 2026-01-31T10:00:00.000Z',
    ],
    [
      'summary',
      (file) => (file.compactions[0].lastMessageId = 'x'),
      'compactions[0].lastMessageId must be the id of a message',
    ],
    [
      'reach',
      (file) => (file.compactions[0].uptoSeq = 9),
      'compactions[0].uptoSeq must be 1, that of its last message',
    ],
    [
      'no summary',
      (file) => (file.compactions = []),
      'messages[0].compactionId must be null or the id of a compaction',
    ],
    [
      'attributes',
      (file) => (file.session.attributes = { constructor: 1 }),
      'session.attributes must not have the key constructor',
    ],
  ])('%s', async (_, spoil, issue) => {
    const file = await exported();
    spoil(file);
    expect(await refusal(file)).toContain(issue);
  });

  test('keys that reach a prototype change nothing, and depth does not exhaust the stack', async () => {
    const file = JSON.stringify(await exported());
    const poisoned = JSON.parse(file.replace('"attributes":{}', '"attributes":{"a":{"__proto__":{"polluted":1}}}'));
    await importSession(stored.log, OWNER, poisoned).catch((error) =>
      expect(error).toMatchObject({ code: 'import_invalid' }),
    );
    const plain = JSON.parse(
      '{"__proto__":{"agent":"x"},"messages":[{"role":"user","content":"x","__proto__":{"agent":"y"}}]}',
    );
    expect(await importSession(stored.log, OWNER, plain)).toMatchObject({ agentId: null, agents: [] });
    expect('polluted' in {}).toBe(false);
    const deep = JSON.parse(file);
    for (let level = 0; level < 20_000; level++) deep.session.attributes = { a: deep.session.attributes };
    expect(await refusal(deep)).toEqual(['the file is nested more than 64 levels deep']);
  });
});

describe('Markdown', () => {
  test('names every speaker, marks what was interrupted or archived, and shows other branches', async () => {
    const at = Date.parse('2026-01-10T10:00:00Z');
    const { session } = await stored.add(
      { name: 'My *week*', agentId: 'wisp/concierge' },
      [
        { text: 'Hello\n\n# big', at },
        { by: 'wisp/concierge', text: 'Old answer', at },
        { by: 'wisp/scheduler', guest: true, interrupted: true, text: 'New ans', after: 0, at },
        { by: null, text: 'From before names', at },
      ],
      [{ upto: 0, summary: 'They greeted.' }],
    );
    const text = await exportMarkdown(stored.log.db, OWNER, session.id);
    const time = '2026-01-10T10:00:00.000Z';
    expect(text).toContain('# My \\*week\\*\n\n- Session: ');
    expect(text).toContain('- Messages: 3, and 1 on other branches\n');
    expect(text).toContain(`**User** · #1 · ${time} · archived\n\n> Hello\n> \n> # big\n\n---\n\n*1 earlier messages`);
    expect(text).toContain('\n\n> They greeted.\n\n---\n\n');
    expect(text).toContain(`**wisp/scheduler** (guest) · #3 · ${time} · interrupted\n\n> New ans\n\n`);
    expect(text).toContain(`**Assistant** · #4 · ${time}\n\n> From before names\n\n`);
    expect(text).toContain(`## Other branches\n\n**wisp/concierge** · #2 · ${time} · after #1\n\n> Old answer\n\n`);
  });

  test('nothing that was said, and no name, can look like a line that says who speaks', async () => {
    await fc.assert(
      fc.asyncProperty(conversations, fc.oneof(lines(), fc.string()), async ({ said, summaries }, title) => {
        const name = title.trim().slice(0, 200) || 'x';
        const { session } = await stored.add({ name, folder: name }, said, summaries);
        const text = await exportMarkdown(stored.log.db, OWNER, session.id);
        await new Sessions(stored.log).delete(OWNER, session.id);
        const speaking = text
          .split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/)
          .filter((line) => /^\s*\**(User|Assistant|wisp|a_b|a\\_b|user)/.test(line));
        expect(speaking).toHaveLength(said.length);
        const ours = text.split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/).filter((line) => line && !line.startsWith('> '));
        for (const line of ours)
          expect(line).toMatch(/^(# |- [A-Z]\w+( agent)?: |\*\*|---$|\*\d+ earlier messages|## Other branches$)/);
        for (const message of said) if (message.text) expect(unquote(text)).toContain(message.text);
      }),
      { numRuns: 60 },
    );
  });

  function unquote(text: string): string {
    return text.replace(/(^|\r\n|[\n\r\u0085\u2028\u2029\v\f])> /g, '$1');
  }

  test('HTML that a viewer might obey is shown as code, unless it already is', () => {
    expect(quoteText('a </blockquote> b')).toBe('> ```\n> a </blockquote> b\n> ```\n\n');
    expect(quoteText('```html\n<b>\n```\nok < 3 <https://x.y>')).not.toContain('````');
    for (const text of ['```\n<b>', '~~~ x\n<b>\n~~~']) expect(quoteText(text)).not.toContain('> ```\n> ~~~');
    for (const trick of [
      ' ```\n<b>\n```',
      '- ```\n```\n<b>',
      '``` a`b\n<b>',
      '```\n```\n<!-- x',
      '\u2028```\n<b>',
      'x\n~~~\n```\n~~~\n<?x',
    ]) {
      expect(quoteText(trick)).toMatch(/^> (`{3,})\n/);
      expect(quoteText(trick)).toMatch(/\n> `{3,}\n\n$/);
    }
    expect(quoteText('`````\n`````\n</b>')).toMatch(/^> ``````\n/);
  });
});
