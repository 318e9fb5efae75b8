import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExportedSession } from '../../contract/sessions.ts';
import { exportSession, exportSessionText } from '../../server/sessions/export.ts';
import { importSession } from '../../server/sessions/import.ts';
import { MessageSearch } from '../../server/sessions/search.ts';
import { Sessions } from '../../server/sessions/sessions.ts';
import { readMessages } from '../../server/sessions/transcript.ts';
import { conversations } from './conversations.ts';
import { markdownExport } from './exporting.ts';
import { OWNER, StoredSessions } from './stored-sessions.ts';

let stored: StoredSessions;

beforeAll(async () => {
  stored = await StoredSessions.open();
});

afterAll(() => stored[Symbol.asyncDispose]());

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
    const copy = await importSession(stored.log, OWNER, file, { name: 'Copy' });
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
    expect(await markdownExport(stored, session.id)).not.toContain('waits');
  });

  test('a stranger exports nothing', async () => {
    const { session } = await stored.add({}, [{ text: 'mine' }]);
    await expect(exportSession(stored.log.db, 'eve', session.id)).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(markdownExport(stored, session.id, undefined, 'eve')).rejects.toMatchObject({
      code: 'session_not_found',
    });
  });

  test('a name that is asked for must be free; one from the file gives way to the title', async () => {
    const { session } = await stored.add({ name: 'Taken' }, [{ text: 'x' }]);
    const file = await exportSession(stored.log.db, OWNER, session.id);
    expect(await importSession(stored.log, OWNER, file)).toMatchObject({ name: null, title: 'Taken' });
    await expect(importSession(stored.log, OWNER, file, { name: 'Taken' })).rejects.toMatchObject({
      code: 'session_name_taken',
    });
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
      { name: 'today' },
    );
    expect(session).toMatchObject({
      agentId: 'wisp/scheduler',
      agents: ['wisp/concierge', 'wisp/scheduler'],
      name: 'today',
    });
    const found = await new Sessions(stored.log, async () => undefined).list(OWNER, {
      limit: 5,
      agent: 'wisp/concierge',
      name: 'today',
    });
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
