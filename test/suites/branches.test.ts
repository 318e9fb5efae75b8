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

const WAIT = { wait: 15 };

function revise(messageId: string, body: object) {
  return server.call('reviseMessage', { params: { messageId }, query: WAIT, body });
}

test('a message cannot be edited into nothing but white space', async () => {
  const { message } = await server.say(await server.open(), { content: 'Words' });
  await server.refused('invalid_request', 'reviseMessage', {
    params: { messageId: message.id },
    body: { content: ' ' },
  });
});

function show(sessionId: string, messageId: string) {
  return server.call('chooseHead', { params: { sessionId }, body: { messageId } });
}

function message(messageId: string): Promise<Message> {
  return server.call('getMessage', { params: { messageId } });
}

async function words(sessionId: string): Promise<string[]> {
  return (await server.messages(sessionId)).map(({ text: said }) => said);
}

describe('an answer can be had again', () => {
  test('the old one stays reachable as a sibling, and can be shown again', async () => {
    const session = await server.open();
    await server.say(session, 'Before');
    const first = await server.say(session, 'Question');
    const second = await server.retry(first.turn.id);
    const third = await server.retry(second.turn.id);
    expect([second.turn.retryOf, third.turn.retryOf]).toEqual([first.turn.id, second.turn.id]);
    const ids = [first, second, third].map(({ answer }) => answer!.id);
    expect(await words(session)).toEqual(['Before', 'Answer 1', 'Question', 'Answer 4']);
    for (const id of ids) expect((await message(id)).siblings).toEqual(ids);
    expect((await server.messages(session)).at(-1)?.siblings).toEqual(ids);
    expect((await server.session(session)).messageCount).toBe(4);
    const shown = await show(session, ids[0]!);
    expect([shown.headId, shown.lastSnippet]).toEqual([ids[0], 'Answer 2']);
    expect(await words(session)).toEqual(['Before', 'Answer 1', 'Question', 'Answer 2']);
    await server.say(session, 'Go on');
    expect(server.prompt('ada').map(({ content }) => content)).toEqual([
      'You are ada.',
      'Before',
      'Answer 1',
      'Question',
      'Answer 2',
      'Go on',
    ]);
  });

  test('the old answer is not in the request for the new one', async () => {
    const session = await server.open();
    const { turn } = await server.say(session, 'Question');
    await server.retry(turn.id);
    expect(server.prompt('ada').map(({ content }) => content)).toEqual(['You are ada.', 'Question']);
  });

  test('an earlier one too: what came after it leaves the path and comes back with it', async () => {
    const session = await server.open();
    const first = await server.say(session, 'One');
    const later = await server.say(session, 'Two');
    const again = await server.retry(first.turn.id);
    expect(await words(session)).toEqual(['One', 'Answer 3']);
    await show(session, first.answer!.id);
    expect(await words(session)).toEqual(['One', 'Answer 1', 'Two', 'Answer 2']);
    await show(session, again.answer!.id);
    expect(await words(session)).toEqual(['One', 'Answer 3']);
    await show(session, later.message.id);
    expect(await words(session)).toEqual(['One', 'Answer 1', 'Two', 'Answer 2']);
  });

  test('from another agent', async () => {
    const session = await server.open();
    const { turn } = await server.say(session, 'Question');
    const { answer, turn: other } = await server.retry(turn.id, { agent: 'bob' });
    expect([other.agentId, answer?.agent]).toEqual(['bob', 'bob']);
    await server.refused('agent_not_found', 'retryTurn', { params: { turnId: turn.id }, body: { agent: 'nobody' } });
  });

  test('from a guest, as a guest; from the primary instead of a guest, as the primary', async () => {
    const session = await server.open();
    const { turn } = await server.say(session, { content: 'Question', guest: 'bob' });
    const again = await server.retry(turn.id);
    expect([again.turn.guest, again.answer?.guest]).toEqual([true, true]);
    const primary = await server.retry(turn.id, { agent: 'ada' });
    expect([primary.turn.guest, primary.answer?.guest]).toEqual([false, false]);
  });

  test('not while the session is busy, and not before the turn is over', async () => {
    const session = await server.open();
    const first = await server.say(session, 'One');
    server.provider.script(() => ({ steps: [{ kind: 'stall' }] }));
    const running = await server.send(session, 'Two');
    await server.refused('session_busy', 'retryTurn', { params: { turnId: first.turn.id } });
    await server.refused('turn_not_settled', 'retryTurn', { params: { turnId: running.turn.id } });
    await server.refused('session_busy', 'chooseHead', {
      params: { sessionId: session },
      body: { messageId: first.message.id },
    });
    await server.refused('session_busy', 'reviseMessage', {
      params: { messageId: first.message.id },
      body: { content: 'New' },
    });
    await server.cancelTurn(running.turn.id);
  });

  test('after a cancel: what it had said becomes the sibling', async () => {
    const session = await server.open();
    server.provider.script(() => ({ steps: [...text('Half'), { kind: 'stall' }] }));
    const { turn } = await server.send(session, 'Question');
    await server.speaking(session);
    await server.cancelTurn(turn.id);
    const { answerId } = await server.turn(turn.id);
    server.provider.script(() => ({ steps: text('Whole') }));
    const { answer } = await server.retry(turn.id);
    expect(await words(session)).toEqual(['Question', 'Whole']);
    expect((await message(answer!.id)).siblings).toEqual([answerId, answer!.id]);
  });
});

describe('what was said after a turn without an answer', () => {
  test('stays reachable when that turn is tried again: the two ways to go on are siblings', async () => {
    const session = await server.open();
    server.provider.script(() => ({ status: 401, body: '{}' }));
    const failed = await server.say(session, 'One');
    server.provider.script(() => ({ steps: text('Fine') }));
    const second = await server.say(session, 'Two');
    const { answer } = await server.retry(failed.turn.id);
    expect(await words(session)).toEqual(['One', 'Fine']);
    expect((await message(answer!.id)).siblings).toEqual([second.message.id, answer!.id]);
    await show(session, second.message.id);
    expect(await words(session)).toEqual(['One', 'Two', 'Fine']);
  });

  test('also what was taken from the queue while an answer was under way', async () => {
    const session = await server.open();
    server.provider.script(() => ({ steps: [...text('Half'), { kind: 'wait', ms: 200 }] }));
    const first = await server.send(session, 'One');
    const second = await server.send(session, 'Two');
    await server.cancelTurn(second.turn.id);
    await server.settled(first.turn.id);
    expect(await words(session)).toEqual(['One', 'Two', 'Half']);
    const { answer } = await server.retry(first.turn.id);
    expect((await message(answer!.id)).siblings).toEqual([second.message.id, answer!.id]);
    await show(session, second.message.id);
    expect(await words(session)).toEqual(['One', 'Two', 'Half']);
  });
});

describe('a message can be said differently', () => {
  test('in the middle: a new branch beside it', async () => {
    const session = await server.open();
    await server.say(session, 'One');
    const second = await server.say(session, 'Two');
    await server.say(session, 'Three');
    const revised = await revise(second.message.id, { content: 'Two, better' });
    expect(revised.answer?.text).toBe('Answer 4');
    expect(await words(session)).toEqual(['One', 'Answer 1', 'Two, better', 'Answer 4']);
    expect(
      server
        .prompt('ada')
        .map(({ content }) => content)
        .slice(1),
    ).toEqual(['One', 'Answer 1', 'Two, better']);
    expect((await message(revised.message.id)).siblings).toEqual([second.message.id, revised.message.id]);
    await show(session, second.message.id);
    expect(await words(session)).toEqual(['One', 'Answer 1', 'Two', 'Answer 2', 'Three', 'Answer 3']);
    expect((await server.session(session)).messageCount).toBe(6);
  });

  test('also the very first one, and the way back is there', async () => {
    const session = await server.open();
    const first = await server.say(session, 'One');
    const revised = await revise(first.message.id, { content: 'One, better', agent: 'bob' });
    expect(await server.transcript(session)).toEqual(['user: One, better', 'bob: Answer 2']);
    expect((await message(revised.message.id)).siblings).toEqual([first.message.id, revised.message.id]);
    expect((await server.messages(session))[0]?.siblings).toEqual([first.message.id, revised.message.id]);
    await show(session, first.message.id);
    expect(await words(session)).toEqual(['One', 'Answer 1']);
    expect((await server.session(session)).title).toBe('One');
  });

  test('on a branch that is not shown: that branch is shown from then on', async () => {
    const session = await server.open();
    await server.say(session, 'One');
    const two = await server.say(session, 'Two');
    const three = await server.say(session, 'Three');
    await revise(two.message.id, { content: 'Two, better' });
    await revise(three.message.id, { content: 'Three, better' });
    expect(await words(session)).toEqual(['One', 'Answer 1', 'Two', 'Answer 2', 'Three, better', 'Answer 5']);
    expect(
      server
        .prompt('ada')
        .map(({ content }) => content)
        .slice(1),
    ).toEqual(['One', 'Answer 1', 'Two', 'Answer 2', 'Three, better']);
  });

  test('once per id, like every send', async () => {
    const { message: said } = await server.say(await server.open(), 'One');
    const first = await revise(said.id, { id: 'revision-1', content: 'Better' });
    const again = await revise(said.id, { id: 'revision-1', content: 'Better' });
    expect([again.duplicate, again.turn.id]).toEqual([true, first.turn.id]);
    const given = { params: { messageId: said.id }, body: { id: 'revision-1', content: 'Else' } };
    await server.refused('message_id_conflict', 'reviseMessage', given);
  });

  test('but not an agent’s, nor one that is nowhere', async () => {
    const { answer } = await server.say(await server.open(), 'One');
    const body = { content: 'No' };
    await server.refused('invalid_request', 'reviseMessage', { params: { messageId: answer!.id }, body });
    await server.refused('message_not_found', 'reviseMessage', { params: { messageId: 'nowhere' }, body });
  });
});
