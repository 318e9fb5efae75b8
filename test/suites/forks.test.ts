import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../contract/messages.ts';
import { text } from '../harness/scripted-script.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let answers = 0;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  answers = 0;
  server.provider.script(() => ({ steps: text(`Answer ${++answers}`) }));
});

async function words(sessionId: string): Promise<string[]> {
  return (await server.messages(sessionId)).map(({ text: said }) => said);
}

describe('a session can be forked', () => {
  async function talk() {
    const session = await server.create({ agentId: 'ada', folder: 'Work', attributes: { a: { b: 1 } } });
    await server.say(session.id, 'One');
    await server.say(session.id, { content: 'Two', guest: 'bob' });
    return { session: session.id, messages: await server.messages(session.id) };
  }

  function fork(sessionId: string, body: object = {}) {
    return server.call('forkSession', { params: { sessionId }, body });
  }

  test('at every message, with everything up to it, under new ids', async () => {
    const { session, messages } = await talk();
    for (const [index, last] of messages.entries()) {
      const forked = await fork(session, { messageId: last.id });
      expect(forked.forkedFrom).toEqual({ sessionId: session, messageId: last.id });
      expect([forked.agentId, forked.folder, forked.attributes]).toEqual(['ada', 'Work', { a: { b: 1 } }]);
      const copies = await server.messages(forked.id);
      const plain = (all: Message[]) =>
        all.map(({ role, agent, guest, text: said, createdAt }) => ({ role, agent, guest, said, createdAt }));
      expect(plain(copies)).toEqual(plain(messages.slice(0, index + 1)));
      expect(copies.map(({ seq }) => seq)).toEqual(messages.slice(0, index + 1).map((_, at) => at + 1));
      expect(copies.some(({ id }) => messages.some((original) => original.id === id))).toBe(false);
      expect(forked).toMatchObject({ messageCount: index + 1, lastSnippet: last.text, headId: copies.at(-1)?.id });
    }
  });

  test('and goes its own way: neither sees what is said in the other', async () => {
    const { session } = await talk();
    const forked = await fork(session, { name: 'The other way' });
    await server.say(forked.id, 'Only here');
    expect(
      server
        .prompt('ada')
        .map(({ content }) => content)
        .slice(1),
    ).toEqual(['One', 'Answer 1', 'Two', '<from agent="bob">Answer 2</from>', 'Only here']);
    expect(await words(session)).not.toContain('Only here');
    expect(forked.name).toBe('The other way');
    await server.refused('session_name_taken', 'forkSession', {
      params: { sessionId: session },
      body: { name: 'The other way' },
    });
  });

  test('at a message that is on another branch', async () => {
    const session = await server.open();
    const { turn, answer } = await server.say(session, 'One');
    await server.retry(turn.id);
    const forked = await fork(session, { messageId: answer!.id });
    expect(await words(forked.id)).toEqual(['One', 'Answer 1']);
    expect(forked.agents).toEqual(['ada']);
  });

  test('when it is empty, and outlives what it came from', async () => {
    const empty = await fork(await server.open());
    expect(empty).toMatchObject({ messageCount: 0, forkedFrom: null, status: 'idle' });
    const { session } = await talk();
    const forked = await fork(session);
    await server.call('deleteSession', { params: { sessionId: session } });
    expect(await words(forked.id)).toEqual(['One', 'Answer 1', 'Two', 'Answer 2']);
  });

  test('but not at a message of another session', async () => {
    const { messages } = await talk();
    const given = { params: { sessionId: await server.open() }, body: { messageId: messages[0]!.id } };
    await server.refused('message_not_found', 'forkSession', given);
    await server.refused('message_not_found', 'chooseHead', given);
  });
});
