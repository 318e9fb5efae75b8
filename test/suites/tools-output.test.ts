import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../contract/messages.ts';
import { callsIn, resultsIn, wireMessages } from './calling.ts';
import { follow, watch } from './following.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import type { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

const SHOWN = 1000;
const STORED = 9000;

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada', 'bob'],
    agent: { toolAllowlist: ['shop_*'] },
    config: { limits: { toolOutputBytes: SHOWN, toolStoredBytes: STORED } },
  }));
});
afterAll(async () => {
  await server.close();
  shop.close();
});

/** One call of a tool that says a text so many times. */
async function sayLong(text: string, times: number): Promise<{ answer: Message; sessionId: string }> {
  const sessionId = await server.open();
  const { answer } = await server.say(sessionId, `call shop_long ${JSON.stringify({ text, times })}`);
  return { answer: answer!, sessionId };
}

describe('an output', () => {
  it('that just fits is told whole', async () => {
    const { answer } = await sayLong('x', SHOWN);
    const [result] = resultsIn(answer);
    expect(result).toMatchObject({ output: 'x'.repeat(SHOWN) });
    expect(result).not.toHaveProperty('cutBytes');
  });

  it.each([1, 60, 4000])('that is %i bytes too long is cut, says so everywhere, and is kept whole', async (more) => {
    const { answer, sessionId } = await sayLong('x', SHOWN + more);
    const [call] = callsIn(answer);
    const [result] = resultsIn(answer);
    expect(result!.cutBytes).toBe(more);
    expect(result!.output.startsWith(`${'x'.repeat(SHOWN)}\n[${more} of ${SHOWN + more} bytes omitted`)).toBe(true);
    const told = wireMessages(server.provider.requests.at(-1)!).find(({ role }) => role === 'tool');
    expect(told!.content).toBe(result!.output);
    const params = { callId: call!.callId };
    const shown = await server.call('getToolCall', { params });
    expect(shown).toMatchObject({ output: result!.output, outputBytes: SHOWN + more });
    expect((await server.ask('toolCallOutput', { params })).body).toBe('x'.repeat(SHOWN + more));
    const frames = await follow(server, `/api/sessions/${sessionId}/events?after=0`, isEnd);
    expect(frames.at(-1)!.data.call).toEqual(shown);
  });

  it('is never cut inside a character', async () => {
    const { answer } = await sayLong('a€🙂', 300);
    const { output, cutBytes } = resultsIn(answer)[0]!;
    const [kept = ''] = output.split('\n[');
    expect('a€🙂'.repeat(300).startsWith(kept)).toBe(true);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(SHOWN - 4);
    expect(Buffer.byteLength(kept) + cutBytes!).toBe(8 * 300);
  });

  it('past what is kept says how long it was', async () => {
    const { answer } = await sayLong('x', STORED + 500);
    const params = { callId: callsIn(answer)[0]!.callId };
    expect(await server.call('getToolCall', { params })).toMatchObject({ outputBytes: STORED + 500 });
    expect((await server.ask('toolCallOutput', { params })).body).toBe('x'.repeat(STORED));
    expect(resultsIn(answer)[0]!.cutBytes).toBe(STORED + 500 - SHOWN);
  });

  it('can be read on by the agent that was told its beginning, and by nobody in another session', async () => {
    const { answer, sessionId } = await sayLong('abcdefghij', 300);
    const { callId, output } = { ...callsIn(answer)[0]!, ...resultsIn(answer)[0]! };
    const pointer = /callId "(.+)" and offset (\d+)\.\]/.exec(output)!;
    expect(pointer[1]).toBe(callId);
    const reading = `call system_tool_output ${JSON.stringify({ callId, offset: Number(pointer[2]), length: 500 })}`;
    const { answer: more } = await server.say(sessionId, reading);
    const rest = resultsIn(more!)[0]!.output;
    expect(rest).toContain('bytes 1000 to 1500 of 3000');
    expect(rest.endsWith('abcdefghij'.repeat(50))).toBe(true);
    const { answer: elsewhere } = await server.say(await server.open('bob'), reading);
    expect(resultsIn(elsewhere!)[0]).toMatchObject({ isError: true, output: expect.stringContaining('No output') });
  });

  it('of a call that has not ended is empty', async () => {
    const id = await server.open();
    const { turn } = await server.send(id, 'call shop_wait {"key":"unfinished"}');
    await shop.arrived('unfinished');
    const { calls } = await server.call('listToolCalls', { params: { turnId: turn.id } });
    expect(calls).toMatchObject([{ state: 'running', output: null, outputBytes: 0, endedAt: null }]);
    expect((await server.ask('toolCallOutput', { params: { callId: calls[0]!.id } })).body).toBe('');
    shop.release('unfinished');
    await server.settled(turn.id);
  });
});

function isEnd({ type }: { type: string }): boolean {
  return type === 'tool.ended';
}

describe('progress', () => {
  it('is for those who watch: live on both streams, in no history', async () => {
    const id = await server.open();
    const routes = ['/api/events', `/api/sessions/${id}/events`];
    const watching = await Promise.all(routes.map((route) => watch(server, route)));
    const { turn } = await server.send(id, 'call shop_progress {"key":"progress"}');
    for (const upto of watching) {
      const { id: number, data } = (await upto(({ type }) => type === 'tool.progress')).at(-1)!;
      expect(number).toBeUndefined();
      expect(data).toMatchObject({ turnId: turn.id, text: 'halfway', fraction: 0.5 });
    }
    shop.release('progress');
    await server.settled(turn.id);
    const replay = await follow(server, `/api/sessions/${id}/events?after=0`, (await server.session(id)).lastSeq);
    expect(JSON.stringify([replay, await server.messages(id)])).not.toContain('halfway');
  });
});
