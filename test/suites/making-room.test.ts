import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { answerOrSummarise, isSummary, PRESENTED, talk } from './summarising.ts';
import { framesUntil, TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  const chat = {
    provider: 'openai-compatible',
    model: 'model-of-small',
    baseUrl: `${server.provider.url}/v1`,
    contextWindow: 1000,
    compactionThreshold: 0.8,
  };
  await server.call('createAgent', { body: scriptedAgent(server.provider.url, 'small', { chat }) });
});
afterAll(() => server.close());
beforeEach(() => answerOrSummarise(server));

describe('by itself', () => {
  const LONG = 'long words '.repeat(60);

  test('when the request would pass the threshold: before the turn, visibly, in its events', async () => {
    const session = await server.open('small');
    await server.say(session, `First ${LONG}`);
    for (let index = 0; index < 5; index++) {
      const { turn } = await server.say(session, `${index} ${LONG}`);
      expect(turn.state).toBe('complete');
    }
    const requests = server.provider.requests.filter(({ body }) => body.model === 'model-of-small');
    expect(requests.some(({ body }) => isSummary(body))).toBe(true);
    const sizes = requests
      .filter(({ body }) => !isSummary(body))
      .map(({ body }) => JSON.stringify(body.messages).length);
    expect(Math.max(...sizes)).toBeLessThan(5000);
    expect(server.prompt('small')[1]?.content).toBe(PRESENTED);
    expect(server.prompt('small').at(-1)?.content).toContain('4 long');
    const leave = new AbortController();
    const { lastSeq } = await server.session(session);
    const stream = server.parley.events(`/api/sessions/${session}/events?after=0`, {}, leave.signal);
    const types = (await framesUntil(stream, ({ id }) => Number.parseInt(id ?? '', 10) === lastSeq)).map(
      ({ type }) => type,
    );
    leave.abort();
    expect(types.filter((type) => type === 'session.compacted').length).toBeGreaterThan(0);
    expect(await server.messages(session)).toHaveLength(12);
  });

  test('not again before every turn, when the summary is no shorter: the messages are sent as they are', async () => {
    const session = await server.open('small');
    answerOrSummarise(server, () => ({ steps: text('Yes.') }), { steps: text(`Summary ${LONG.repeat(9)}`) });
    const asked = server.provider.requests.length;
    for (let index = 0; index < 12; index++)
      expect((await server.say(session, `${index} ${LONG}`)).turn.state).toBe('complete');
    const begun = ({ body, said }: { body: Record<string, unknown>; said: string }) =>
      isSummary(body) && !said.startsWith('Summary so far');
    const summaries = server.provider.requests.slice(asked).filter(begun);
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.length).toBeLessThanOrEqual(3);
    expect(server.prompt('small')[1]?.content).toContain('0 long words');
    expect((await server.messages(session)).some(({ archived }) => archived)).toBe(false);
  });

  test('not before every turn, when the tools alone pass the threshold', async () => {
    const { chat } = (await server.call('getAgent', { params: { agentId: 'small' } })).definition;
    const window = { ...chat, model: 'model-of-tooled', contextWindow: 4000, compactionThreshold: 0.5 };
    const body = scriptedAgent(server.provider.url, 'tooled', { chat: window, toolAllowlist: null });
    await server.call('createAgent', { body });
    const session = await server.open('tooled');
    for (const words of ['One', 'Two', 'Three'])
      expect((await server.say(session, words)).turn).toMatchObject({ state: 'complete' });
    expect((await server.messages(session)).filter(({ archived }) => archived)).toEqual([]);
    const tools = server.provider.requests.at(-1)!.body.tools;
    expect(JSON.stringify(tools).length).toBeGreaterThan(4000 * 0.5 * 3);
  });

  test('when the model says that it is too much: once, and then the turn goes on', async () => {
    const session = await talk(server, 4);
    let refusals = 0;
    answerOrSummarise(server, ({ said }) =>
      said === 'Too much' && refusals++ === 0 ? OVERFLOW : { steps: text('Fits now.') },
    );
    const { turn, answer: said } = await server.say(session, 'Too much');
    expect([turn.state, said?.text, refusals]).toEqual(['complete', 'Fits now.', 2]);
    expect(server.prompt('ada')[1]?.content).toBe(PRESENTED);
    expect((await server.messages(session)).filter(({ archived }) => archived).length).toBeGreaterThanOrEqual(2);
    const { steps } = await server.call('seenByTurn', { params: { turnId: turn.id } });
    expect(steps).toHaveLength(2);
    expect(steps[1]?.messages[0]?.text).toBe(PRESENTED);
    expect(steps[0]?.messages[0]?.text).toBe('Question 0');
  });

  test('not twice: a model that still refuses ends the turn', async () => {
    const session = await talk(server, 4);
    let refusals = 0;
    answerOrSummarise(server, () => {
      refusals += 1;
      return OVERFLOW;
    });
    const { turn } = await server.say(session, 'Too much');
    expect([turn.state, turn.stopReason, refusals]).toEqual(['failed', 'context_overflow', 2]);
    expect((await server.session(session)).status).toBe('error');
  });

  test('without anything to archive, the refusal stands', async () => {
    answerOrSummarise(server, () => OVERFLOW);
    const { turn } = await server.say(await server.open(), 'Too much');
    expect([turn.state, turn.stopReason]).toEqual(['failed', 'context_overflow']);
  });

  test('without a summary to be had, the request goes out as it is', async () => {
    const session = await server.open('small');
    answerOrSummarise(server, ({ said }) => ({ steps: text(`Re: ${said.slice(0, 9)}`) }), { status: 401, body: '{}' });
    for (let index = 0; index < 6; index++) {
      const { turn } = await server.say(session, `${index} ${LONG}`);
      expect(turn.state).toBe('complete');
    }
    expect((await server.messages(session)).some(({ archived }) => archived)).toBe(false);
  });
});

const OVERFLOW: Script = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    error: {
      message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    },
  }),
};
