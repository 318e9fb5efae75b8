import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect, endOf, open, REMOTE, request, said } from './setup.ts';

/** Somebody else's idea of the three APIs, so that ours and our reading of it cannot be wrong in the same way. */
const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 });

beforeAll(async () => {
  mock.on({ userMessage: 'greet' }, { content: 'Hello from the mock: ünïcode 世界.' });
  mock.on({ userMessage: 'ponder' }, { content: 'Forty-two.', reasoning: 'What is six times seven?' });
  mock.on({ userMessage: 'look' }, { toolCalls: [{ name: 'lookup', arguments: '{"city":"Bern"}' }] });
  mock.on(
    { userMessage: 'count' },
    { content: 'One.', usage: { input_tokens: 31, output_tokens: 12, prompt_tokens: 31, completion_tokens: 12 } },
  );
  mock.on(
    { userMessage: 'break' },
    { error: { message: 'no such thing', type: 'invalid_request_error' }, status: 400 },
  );
  await mock.start();
});
afterAll(() => mock.stop());

const TOOL = {
  name: 'lookup',
  description: 'Looks up a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
};

for (const remote of REMOTE) {
  describe(`${remote.provider} as aimock speaks it`, () => {
    const ask = (text: string) =>
      collect(open(remote, mock.url), request(text, { tools: text === 'look' ? [TOOL] : [] }));

    test('text', async () => {
      const events = await ask('greet');
      expect([said(events), endOf(events).reason]).toEqual(['Hello from the mock: ünïcode 世界.', 'stop']);
      expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(3);
    });

    test('reasoning before text', async () => {
      const events = await ask('ponder');
      expect([said(events, 'reasoning'), said(events)]).toEqual(['What is six times seven?', 'Forty-two.']);
    });

    test('tool calls', async () => {
      const events = await ask('look');
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'tool_call', name: 'lookup', input: '{"city":"Bern"}' }),
      );
      expect(endOf(events).reason).toBe('tool_calls');
    });

    test('usage', async () => {
      const usage = (await ask('count')).find(({ type }) => type === 'usage');
      expect(usage).toMatchObject({ usage: { inputTokens: 31, outputTokens: 12 } });
    });

    test('an error', async () => {
      expect(endOf(await ask('break'))).toMatchObject({ reason: 'error', error: { code: 'model_rejected' } });
    });
  });
}
