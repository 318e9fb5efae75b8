import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { reasoning, type Script, text } from '../harness/scripted-script.ts';
import { collect, endOf, open, REMOTE, said } from './setup.ts';

let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.close());

for (const remote of REMOTE) {
  describe(remote.provider, () => {
    const answer = (script: Script) => {
      provider.script(() => script);
      return collect(open(remote, provider.url));
    };

    test('text, reasoning and usage arrive in order, and end is last', async () => {
      const usage = { input: 20, output: 7, cached: 4 };
      const events = await answer({ steps: [...reasoning('Let me ', 'think.'), ...text('Hi', ' there')], usage });
      expect(events.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text', 'text', 'usage', 'end']);
      expect([said(events, 'reasoning'), said(events)]).toEqual(['Let me think.', 'Hi there']);
      expect(events.at(-2)).toMatchObject({ usage: { outputTokens: 7, cachedInputTokens: 4 } });
      expect(endOf(events)).toEqual({ type: 'end', reason: 'stop' });
    });

    test('a tool call arrives whole, after the text before it', async () => {
      const call = { kind: 'toolCall', id: 'c9', name: 'look', input: '{"at":"the sky"}', pieces: 5 } as const;
      const events = await answer({ steps: [...text('Looking.'), call] });
      expect(events.filter(({ type }) => type === 'tool_call')).toEqual([
        { type: 'tool_call', id: 'c9', name: 'look', input: '{"at":"the sky"}' },
      ]);
      expect(endOf(events).reason).toBe('tool_calls');
    });

    test('two tool calls stay apart', async () => {
      const call = (id: string) => ({ kind: 'toolCall', id, name: `tool_${id}`, input: `{"n":"${id}"}` }) as const;
      const events = await answer({ steps: [call('a'), call('b')] });
      expect(events.filter(({ type }) => type === 'tool_call')).toEqual([
        { type: 'tool_call', id: 'a', name: 'tool_a', input: '{"n":"a"}' },
        { type: 'tool_call', id: 'b', name: 'tool_b', input: '{"n":"b"}' },
      ]);
    });

    test('broken tool arguments are handed over as the model wrote them', async () => {
      const events = await answer({ steps: [{ kind: 'toolCall', name: 'look', input: '{"at": "the s' }] });
      expect(events).toContainEqual({ type: 'tool_call', id: 'call_1', name: 'look', input: '{"at": "the s' });
    });

    test('an answer that was cut off says so', async () => {
      expect(endOf(await answer({ steps: text('so far'), finish: 'length' })).reason).toBe('length');
      expect(endOf(await answer({ steps: text('so far'), finish: 'content_filter' })).reason).toBe('content_filter');
    });

    test('letters of several bytes survive being cut at every byte', async () => {
      const words = 'Grüße, 世界 👩‍👩‍👧 naïve';
      const events = await answer({ steps: text(words), chunkBytes: 1 });
      expect([said(events), endOf(events).reason]).toEqual([words, 'stop']);
    });

    test('CRLF line ends and pings between events change nothing', async () => {
      const steps = [{ kind: 'ping' }, ...text('a'), { kind: 'ping' }, ...text('b')] as const;
      const events = await answer({ steps, crlf: true });
      expect([said(events), endOf(events).reason]).toEqual(['ab', 'stop']);
    });

    test('an answer without words is still an answer', async () => {
      expect(endOf(await answer({}))).toEqual({ type: 'end', reason: 'stop' });
    });
  });
}
