import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { firstFrame } from './following.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() => server.provider.script(({ said }) => ({ steps: text(`Re: ${said}`) })));

async function list(query: Record<string, string | number | boolean> = {}) {
  return server.call('listSessions', { query });
}

async function ids(query: Record<string, string | number | boolean>): Promise<string[]> {
  return (await list(query)).sessions.map(({ id }) => id);
}

function patch(sessionId: string, body: object): Promise<Session> {
  return server.call('patchSession', { params: { sessionId }, body });
}

function rename(sessionId: string, name: string, replace = false): Promise<Session> {
  return server.call('renameSession', { params: { sessionId }, body: { name, replace } });
}

describe('a session is created', () => {
  test('empty, or with everything one may choose', async () => {
    expect(await server.create()).toMatchObject({ agentId: null, name: null, title: 'New session', status: 'idle' });
    const wanted = { id: 'my_own-id', agentId: 'ada', name: 'Mine', folder: 'Work', attributes: { a: [1, null] } };
    const session = await server.create({ ...wanted, sender: 'phone' });
    expect(session).toMatchObject({ ...wanted, sender: 'phone', title: 'Mine', type: 'conversation', lastSeq: 1 });
    expect(await server.session('my_own-id')).toEqual(session);
  });

  test('under an id or a name that is free', async () => {
    await server.create({ id: 'taken', name: 'Taken name' });
    await server.refused('session_id_taken', 'createSession', { body: { id: 'taken' } });
    await server.refused('session_name_taken', 'createSession', { body: { name: 'Taken name' } });
    await server.refused('agent_not_found', 'createSession', { body: { agentId: 'nobody' } });
  });

  test('under the id of one that was deleted, without any trace of it', async () => {
    const id = 'used-twice';
    await server.create({ id, agentId: 'ada' });
    await server.say(id, 'Old words');
    await server.call('deleteSession', { params: { sessionId: id } });
    await server.create({ id, agentId: 'ada' });
    expect(await server.messages(id)).toEqual([]);
    await server.say(id, 'New words');
    expect(await server.transcript(id)).toEqual(['user: New words', 'ada: Re: New words']);
  });

  test('under the id of one that was deleted, with numbers that no old cursor can mistake for its own', async () => {
    const id = 'numbered-on';
    await server.create({ id, agentId: 'ada' });
    await server.say(id, 'Old words');
    const { lastSeq } = await server.session(id);
    await server.call('deleteSession', { params: { sessionId: id } });
    const anew = await server.create({ id, agentId: 'ada' });
    await server.say(id, 'New words');
    expect(anew.lastSeq).toBe(lastSeq + 2);
    expect(await firstFrame(server, id, 2)).toMatchObject({ type: 'reset' });
    expect(await firstFrame(server, id, lastSeq + 1)).toMatchObject({
      type: 'session.created',
      data: { seq: lastSeq + 2 },
    });
  });
});

describe('the list', () => {
  test('is by newest activity, in pages that neither repeat nor leave out', async () => {
    const folder = 'Pages';
    const made = [];
    for (let index = 0; index < 7; index++) made.push((await server.create({ agentId: 'ada', folder })).id);
    await server.say(made[2]!, 'Up');
    const expected = [made[2]!, ...made.filter((_, index) => index !== 2).reverse()];
    expect(await ids({ folder })).toEqual(expected);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list({ folder, limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.sessions.map(({ id }) => id));
      cursor = page.next;
    }
    expect(seen).toEqual(expected);
    await server.refused('invalid_request', 'listSessions', { query: { cursor: 'made up' } });
  });

  test('can be narrowed to an agent that has spoken or is the primary', async () => {
    const folder = 'By agent';
    const guest = await server.create({ agentId: 'ada', folder });
    const primary = await server.create({ agentId: 'bob', folder });
    await server.create({ agentId: 'ada', folder });
    await server.say(guest.id, { content: 'Hi', guest: 'bob' });
    expect(new Set(await ids({ folder, agent: 'bob' }))).toEqual(new Set([guest.id, primary.id]));
    expect(await ids({ folder, agent: 'never/there' })).toEqual([]);
  });

  test('can be narrowed to a type, a status, a folder, a name, what is pinned and what is archived', async () => {
    const folder = 'Filters';
    const [quiet, failed, pinned, archived] = await Promise.all(
      ['quiet', 'failed', 'pinned', 'archived'].map((name) => server.create({ agentId: 'ada', folder, name })),
    );
    server.provider.script(() => ({ status: 401, body: '{}' }));
    await server.say(failed!.id, 'Hi');
    await server.call('pinSession', { params: { sessionId: pinned!.id } });
    await server.call('archiveSession', { params: { sessionId: archived!.id } });
    expect(await ids({ folder })).toHaveLength(3);
    expect(await ids({ folder, status: 'error' })).toEqual([failed!.id]);
    expect(await ids({ folder, name: 'quiet' })).toEqual([quiet!.id]);
    expect(await ids({ folder, pinned: true })).toEqual([pinned!.id]);
    expect(await ids({ folder, pinned: false })).toHaveLength(2);
    expect(await ids({ folder, archived: true })).toEqual([archived!.id]);
    expect(await ids({ folder, archived: false })).toHaveLength(3);
    expect(await ids({ folder, type: 'tool-execution' })).toEqual([]);
    expect(await ids({ folder, type: 'conversation' })).toHaveLength(3);
  });
});

describe('a name', () => {
  test('is unique, becomes the title, and is free again after a rename or a delete', async () => {
    const one = await server.open();
    const two = await server.open();
    expect(await rename(one, ' Plans ')).toMatchObject({ name: 'Plans', title: 'Plans' });
    expect(await rename(one, 'Plans')).toMatchObject({ name: 'Plans' });
    await server.refused('session_name_taken', 'renameSession', {
      params: { sessionId: two },
      body: { name: 'Plans' },
    });
    await rename(one, 'Other plans');
    await rename(two, 'Plans');
    await server.call('deleteSession', { params: { sessionId: two } });
    await rename(one, 'Plans');
  });

  test('can be taken over: the session that had it is deleted, and only then', async () => {
    const old = await server.create({ agentId: 'ada', name: 'default' });
    await server.say(old.id, 'Old');
    const fresh = await server.open();
    expect(await rename(fresh, 'default', true)).toMatchObject({ id: fresh, name: 'default' });
    await server.refused('session_not_found', 'getSession', { params: { sessionId: old.id } });
    await server.refused('session_not_found', 'renameSession', {
      params: { sessionId: 'nowhere' },
      body: { name: 'default', replace: true },
    });
    expect((await server.session(fresh)).name).toBe('default');
  });
});

describe('pins and archives', () => {
  test('keep the time at which they were set, and are taken off again', async () => {
    const params = { sessionId: await server.open() };
    const first = await server.call('pinSession', { params });
    expect(Date.parse(first.pinnedAt!)).toBeGreaterThan(Date.now() - 5000);
    expect((await server.call('pinSession', { params })).pinnedAt).toBe(first.pinnedAt);
    expect((await server.call('unpinSession', { params })).pinnedAt).toBeNull();
    expect((await server.call('archiveSession', { params })).archivedAt).not.toBeNull();
    expect((await server.call('unarchiveSession', { params })).archivedAt).toBeNull();
  });

  test('tell the order in which sessions were pinned', async () => {
    const [one, two] = [await server.open(), await server.open()];
    const second = await server.call('pinSession', { params: { sessionId: two } });
    await new Promise((resolve) => setTimeout(resolve, 3));
    const first = await server.call('pinSession', { params: { sessionId: one } });
    expect(first.pinnedAt! > second.pinnedAt!).toBe(true);
  });

  test('an archived session can still be talked in', async () => {
    const session = await server.open();
    await server.call('archiveSession', { params: { sessionId: session } });
    expect((await server.say(session, 'Hi')).turn.state).toBe('complete');
  });
});

describe('attributes', () => {
  test('merge deeply; null deletes; lists and values replace', async () => {
    const { id } = await server.create({ attributes: { a: { b: 1, c: [1, 2] }, d: 'x' } });
    const { attributes } = await patch(id, { attributes: { a: { b: null, c: [3], e: { f: true } }, g: 0 } });
    expect(attributes).toEqual({ a: { c: [3], e: { f: true } }, d: 'x', g: 0 });
    expect((await patch(id, { attributes: { a: null, d: { y: null } } })).attributes).toEqual({ d: {}, g: 0 });
  });

  test.each(['__proto__', 'constructor', 'prototype'])('must not reach a prototype through %s', async (key) => {
    const sessionId = await server.open();
    const body = `{"attributes":{"a":{"${key}":{"polluted":true}}}}`;
    await server.refused('invalid_request', 'patchSession', { params: { sessionId }, body });
    await server.refused('invalid_request', 'createSession', { body });
    expect((await server.session(sessionId)).attributes).toEqual({});
  });

  test('have a limit', async () => {
    const sessionId = await server.open();
    const body = { attributes: { a: 'x'.repeat(64_000) } };
    await server.refused('invalid_request', 'patchSession', { params: { sessionId }, body });
    await patch(sessionId, { attributes: { a: 'x'.repeat(60_000) } });
  });
});

describe('what a session shows of itself', () => {
  test('title once from the first message; snippet, counts and unread as it goes', async () => {
    const sessionId = await server.open();
    await server.say(sessionId, '  What   is\n  a 🙂 monad?  ');
    await server.say(sessionId, 'Second');
    expect(await server.session(sessionId)).toMatchObject({
      title: 'What is a 🙂 monad?',
      lastSnippet: 'Re: Second',
      messageCount: 4,
      queuedCount: 0,
      unreadCount: 2,
    });
    const before = await server.session(sessionId);
    const read = await server.call('markRead', { params: { sessionId } });
    expect(read).toMatchObject({ unreadCount: 0, lastActivityAt: before.lastActivityAt, updatedAt: before.updatedAt });
    expect(await server.call('markRead', { params: { sessionId } })).toEqual(read);
  });

  test('a title and a snippet of whole characters, however long the text', async () => {
    const sessionId = await server.open();
    await server.say(sessionId, '🙂'.repeat(500));
    const { title, lastSnippet } = await server.session(sessionId);
    expect(Array.from(title)).toHaveLength(80);
    expect(title.endsWith('🙂…')).toBe(true);
    expect(Array.from(lastSnippet).length).toBeLessThanOrEqual(160);
    expect(lastSnippet.isWellFormed()).toBe(true);
  });

  test('the statuses it can have', async () => {
    const session = await server.open();
    const status = async () => (await server.session(session)).status;
    expect(await status()).toBe('idle');
    const held = gate();
    server.provider.script(() => ({ steps: [...text('Half'), { kind: 'gate', until: held.until }] }));
    const { turn } = await server.send(session, 'Hi');
    expect(await status()).toBe('working');
    held.open();
    await server.settled(turn.id);
    expect(await status()).toBe('active');
    server.provider.script(() => ({ status: 401, body: '{}' }));
    await server.say(session, 'Hi');
    expect(await status()).toBe('error');
    server.provider.script(({ said }) => ({
      steps: said === 'Stop' ? text('Ok') : [...text('Half'), { kind: 'stall' }],
    }));
    await server.send(session, 'Hi');
    await server.speaking(session);
    await server.say(session, { content: 'Stop', busy: 'interrupt' });
    expect(await status()).toBe('active');
  });
});

describe('resolution', () => {
  function resolve(session: string | undefined, agentId: string) {
    return server.call('resolveSession', { body: { ...(session && { session }), agentId } });
  }

  test('latest, create, latest-or-create and an id', async () => {
    const agentId = 'wisp/eve';
    await server.refused('session_not_found', 'resolveSession', { body: { session: 'latest', agentId } });
    const made = await resolve(undefined, agentId);
    expect(made).toMatchObject({ created: true, session: { agentId } });
    const created = await resolve('create', agentId);
    expect(created.created).toBe(true);
    await server.say(made.session.id, 'Newest activity');
    for (const strategy of ['latest', 'latest-or-create', made.session.id])
      expect(await resolve(strategy, agentId)).toMatchObject({ created: false, session: { id: made.session.id } });
    await server.call('archiveSession', { params: { sessionId: made.session.id } });
    expect((await resolve('latest', agentId)).session.id).toBe(created.session.id);
  });

  test('an id must exist and belong to the agent', async () => {
    const session = await server.open('ada');
    await server.refused('session_not_found', 'resolveSession', { body: { session, agentId: 'bob' } });
    await server.refused('session_not_found', 'resolveSession', { body: { session: 'nowhere', agentId: 'bob' } });
    await server.refused('agent_not_found', 'resolveSession', { body: { agentId: 'nobody' } });
  });
});
