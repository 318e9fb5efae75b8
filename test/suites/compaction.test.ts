import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { answerOrSummarise, isSummary, PRESENTED, SUMMARY, talk } from './summarising.ts';
import { asProblem, TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() => answerOrSummarise(server));

function compact(sessionId: string, body: object = {}) {
  return server.call('compactSession', { params: { sessionId }, body });
}

describe('on request', () => {
  test('a summary stands for the older messages in requests, and nowhere else', async () => {
    const session = await talk(server, 5);
    const compaction = await compact(session, { keep: 4 });
    expect(compaction).toMatchObject({
      sessionId: session,
      agentId: 'ada',
      summary: SUMMARY,
      archivedCount: 6,
      uptoSeq: 6,
    });
    await server.say(session, 'And now?');
    expect(server.prompt('ada').slice(1)).toEqual([
      { role: 'user', content: `${PRESENTED}\n\n[Next message:]\n\nQuestion 3` },
      { role: 'assistant', content: 'Re: Question 3' },
      { role: 'user', content: 'Question 4' },
      { role: 'assistant', content: 'Re: Question 4' },
      { role: 'user', content: 'And now?' },
    ]);
    const messages = await server.messages(session);
    expect(messages).toHaveLength(12);
    expect(messages.map(({ archived }) => archived)).toEqual([...Array(6).fill(true), ...Array(6).fill(false)]);
    expect(messages[1]).toMatchObject({ agent: 'bob', guest: true, text: 'Re: Question 0' });
  });

  test('what was archived is still found, shown and exported, with its speaker', async () => {
    const session = await server.open();
    await server.say(session, { content: 'A quetzalcoatlus', guest: 'bob' });
    await server.say(session, 'More');
    await compact(session, { keep: 0 });
    const { hits } = await server.call('search', { query: { q: 'quetzalcoatlus' } });
    expect(hits.map(({ agent }) => agent).sort()).toEqual(['bob', null]);
    const exported = await server.call('exportSession', { params: { sessionId: session } });
    expect(exported.messages.map(({ agent }) => agent)).toEqual([null, 'bob', null, 'ada']);
    expect(exported.compactions).toMatchObject([{ summary: SUMMARY, archivedCount: 4 }]);
  });

  test('the summary is made from a transcript that names every speaker', async () => {
    const session = await talk(server, 3);
    await compact(session, { keep: 0, agent: 'bob' });
    const request = server.provider.requests.findLast(({ body }) => isSummary(body))!;
    expect(request.body.model).toBe('model-of-bob');
    expect(request.said).toContain(
      'User: Question 0\nbob: Re: Question 0\nUser: Question 1\nada: Re: Question 1\nUser: Question 2\nada: Re: Question 2\n',
    );
  });

  test('those who spoke only in what is archived still count: the primary is told of them', async () => {
    const session = await talk(server, 3);
    await compact(session, { keep: 0 });
    await server.say(session, 'And now?');
    expect(server.prompt('ada')[0]?.content).toContain('Other agents have spoken');
  });

  test('a second one stands upon the first', async () => {
    const session = await talk(server, 4);
    await compact(session, { keep: 4 });
    answerOrSummarise(server, ({ said }) => ({ steps: text(`Re: ${said}`) }), { steps: text('All of it.') });
    await compact(session, { keep: 2 });
    const request = server.provider.requests.findLast(({ body }) => isSummary(body))!;
    expect(request.said).toContain(`Summary so far:\n${SUMMARY}`);
    expect(request.said).toContain('User: Question 2');
    expect(request.said).not.toContain('Question 1');
    await server.say(session, 'Now');
    expect(server.prompt('ada')[1]?.content).toContain('All of it.');
    expect(server.prompt('ada')).toHaveLength(4);
  });

  test('too little is said to be too little', async () => {
    const session = await server.open();
    const params = { sessionId: session };
    await server.refused('nothing_to_compact', 'compactSession', { params });
    await server.say(session, 'One');
    await server.refused('nothing_to_compact', 'compactSession', { params, body: { keep: 1 } });
    await server.refused('nothing_to_compact', 'compactSession', { params });
    await compact(session, { keep: 0 });
    await server.refused('nothing_to_compact', 'compactSession', { params, body: { keep: 0 } });
  });

  test('a session that works is not compacted; one that is being compacted queues what comes', async () => {
    const session = await talk(server, 3);
    const params = { sessionId: session };
    answerOrSummarise(server, () => ({ steps: [...text('Half'), { kind: 'stall' }] }));
    const { turn } = await server.send(session, 'Working');
    await server.refused('session_busy', 'compactSession', { params, body: { keep: 0 } });
    await server.cancelTurn(turn.id);
    answerOrSummarise(server, ({ said }) => ({ steps: text(`Re: ${said}`) }), {
      steps: [{ kind: 'wait', ms: 300 }, ...text('Short.')],
    });
    const compacting = compact(session, { keep: 0 });
    await server.asked(({ body }) => isSummary(body));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.refused('session_busy', 'compactSession', { params, body: { keep: 0 } });
    const queued = await server.send(session, 'Meanwhile');
    expect(queued.turn.state).toBe('queued');
    expect((await compacting).summary).toBe('Short.');
    await server.settled(queued.turn.id);
    expect(
      server
        .prompt('ada')
        .slice(1)
        .map(({ content }) => content.split('complete.]').at(-1)),
    ).toEqual(['\n\nShort.\n\n[Next message:]\n\nMeanwhile']);
  });

  test.each(['cancelSession', 'clearSession', 'deleteSession'] as const)('is stopped by %s', async (route) => {
    const session = await talk(server, 3);
    answerOrSummarise(server, () => ({ steps: text('x') }), { steps: [...text('Half a summary'), { kind: 'stall' }] });
    const asked = server.provider.requests.length;
    const compacting = server.ask('compactSession', { params: { sessionId: session }, body: { keep: 0 } });
    const request = await server.asked(
      ({ body, at }) => isSummary(body) && server.provider.requests.length > asked && at > 0,
    );
    await server.call(route, { params: { sessionId: session } });
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    asProblem(await compacting, 'compaction_failed');
    if (route !== 'cancelSession') return;
    expect((await server.messages(session)).some(({ archived }) => archived)).toBe(false);
    answerOrSummarise(server, () => ({ steps: text('Fine.') }));
    expect((await server.say(session, 'Go on')).turn.state).toBe('complete');
  });

  test('a turn that is tried again meanwhile waits, and its message can no longer be edited', async () => {
    const session = await server.open();
    const { turn } = await server.say(session, 'Said');
    answerOrSummarise(server, () => ({ steps: text('Again.') }), {
      steps: [{ kind: 'wait', ms: 250 }, ...text('Short.')],
    });
    const compacting = compact(session, { keep: 0 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const retry = await server.call('retryTurn', { params: { turnId: turn.id } });
    expect(retry.turn.state).toBe('queued');
    await server.refused('turn_not_queued', 'editQueued', {
      params: { turnId: retry.turn.id },
      body: { content: 'Other' },
    });
    await compacting;
    await server.settled(retry.turn.id);
    expect(await server.transcript(session)).toEqual(['user: Said', 'ada: Again.']);
  });

  test('a model that gives no summary leaves everything as it was', async () => {
    const session = await talk(server, 2);
    const before = await server.session(session);
    answerOrSummarise(server, () => ({ steps: text('x') }), { status: 401, body: '{}' });
    await server.refused('compaction_failed', 'compactSession', { params: { sessionId: session }, body: { keep: 0 } });
    answerOrSummarise(server, () => ({ steps: text('x') }), {});
    await server.refused('compaction_failed', 'compactSession', { params: { sessionId: session }, body: { keep: 0 } });
    expect(await server.session(session)).toEqual(before);
    expect((await server.messages(session)).some(({ archived }) => archived)).toBe(false);
  });

  test('a summary that is no shorter than what it stands for is not used, and that is said', async () => {
    const session = await talk(server, 3);
    const before = await server.session(session);
    answerOrSummarise(server, () => ({ steps: text('x') }), { steps: text('So many words. '.repeat(200)) });
    const params = { sessionId: session };
    const problem = await server.refused('compaction_failed', 'compactSession', { params, body: { keep: 0 } });
    expect(problem.detail).toContain('no shorter than the messages it would replace');
    expect(await server.session(session)).toEqual(before);
    expect((await server.messages(session)).some(({ archived }) => archived)).toBe(false);
  });

  test('a session without a primary wants to be told who writes the summary', async () => {
    const { id } = await server.create();
    await server.say(id, { content: 'Hi', guest: 'bob' });
    await server.refused('agent_required', 'compactSession', { params: { sessionId: id }, body: { keep: 0 } });
    await server.refused('agent_not_found', 'compactSession', { params: { sessionId: id }, body: { agent: 'nobody' } });
    await compact(id, { agent: 'ada', keep: 0 });
  });
});

describe('a branch', () => {
  test('that begins before what is archived has no summary of what it never held', async () => {
    const session = await talk(server, 4);
    const [, , second] = await server.messages(session);
    await compact(session, { keep: 2 });
    const { turn } = await server.call('reviseMessage', {
      params: { messageId: second!.id },
      query: { wait: 10 },
      body: { content: 'Instead' },
    });
    const expected = ['Question 0', '<from agent="bob">Re: Question 0</from>', 'Instead'];
    expect(
      server
        .prompt('ada')
        .slice(1)
        .map(({ content }) => content),
    ).toEqual(expected);
    const { steps } = await server.call('seenByTurn', { params: { turnId: turn.id } });
    expect(steps[0]?.messages.map(({ text: words }) => words)).toEqual(expected);
    await server.call('chooseHead', { params: { sessionId: session }, body: { messageId: second!.id } });
    await server.say(session, 'Back again');
    expect(server.prompt('ada')[1]?.content).toBe(`${PRESENTED}\n\n[Next message:]\n\nQuestion 3`);
  });

  test('forked before the end of what is archived is whole again; after it, the summary comes along', async () => {
    const session = await talk(server, 4);
    const messages = await server.messages(session);
    await compact(session, { keep: 2 });
    const fork = (messageId: string) =>
      server.call('forkSession', { params: { sessionId: session }, body: { messageId } });
    const early = await fork(messages[3]!.id);
    await server.say(early.id, 'Early');
    expect(
      server
        .prompt('ada')
        .slice(1)
        .map(({ content }) => content),
    ).toContain('Question 1');
    const late = await fork(messages[7]!.id);
    await server.say(late.id, 'Late');
    expect(server.prompt('ada')[1]?.content).toBe(`${PRESENTED}\n\n[Next message:]\n\nQuestion 3`);
    expect((await server.messages(late.id)).map(({ archived }) => archived).filter(Boolean)).toHaveLength(6);
  });
});
