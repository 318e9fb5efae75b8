import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { checkPromises } from '../harness/checker.ts';
import { Ledger } from '../harness/ledger.ts';
import { Parley, until } from '../harness/parley.ts';
import { closedPort, ScriptedProvider } from '../harness/scripted-provider.ts';
import { gate, text } from '../harness/scripted-script.ts';

const LIMITS = { firstTokenMs: 1200, idleMs: 700, modelAttempts: 2, retryAfterMs: 500, modelEventBytes: 2_000_000 };

/** What the provider does, how the turn ends, and what of the answer is kept. */
const FAULTS: [string, string, string, RegExp | null][] = [
  ['a stall before the first word', '[[wait=9000]]', 'failed', null],
  ['a stall with pings only', '[[chunks=3 text=so stall pings=100]]', 'failed', /^so so so/],
  ['a stall in the middle', '[[chunks=3 text=so stall]]', 'failed', /^so so so/],
  ['429 without Retry-After', '[[fail=429 times=1]] tooMany', 'complete', /tooMany/],
  ['429 with seconds', '[[fail=429 retry-after=0 times=1]] seconds', 'complete', /seconds/],
  ['429 with a date', '[[fail=429 retry-after="Wed, 21 Oct 2015 07:28:00 GMT" times=1]] date', 'complete', /date/],
  ['429 with nonsense', '[[fail=429 retry-after=soon times=1]] nonsense', 'complete', /nonsense/],
  ['429 with a wait beyond patience', '[[fail=429 retry-after=3600]]', 'failed', null],
  ['5xx for ever', '[[fail=503]]', 'failed', null],
  ['5xx once', '[[fail=500 times=1]] once', 'complete', /once/],
  ['a reset in the middle', '[[chunks=4 text=cut reset]]', 'failed', /^cut cut cut cut/],
  ['an HTML error page', '[[html]]', 'failed', null],
  ['malformed events', '[[chunks=2 text=then malformed]]', 'failed', /^then then/],
  ['an error inside the stream', '[[chunks=2 text=then error=broken]]', 'failed', /^then then/],
  ['a missing [DONE]', '[[chunks=3 text=fine nodone]]', 'complete', /^fine fine fine/],
  ['a double [DONE]', '[[chunks=3 text=fine doubledone]]', 'complete', /^fine fine fine/],
  ['an end without a reason', '[[chunks=3 text=gone nofinish]]', 'failed', /^gone gone gone/],
  ['a ten-megabyte event', '[[huge=10000000]]', 'failed', /^You said/],
];

describe('a provider that misbehaves', { timeout: 60_000 }, () => {
  let provider: ScriptedProvider;
  let parley: Parley;
  const ledger = new Ledger();
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    const agents = [scriptedAgent(provider.url, 'wisp/one'), scriptedAgent(await closedPort(), 'wisp/nowhere')];
    parley = await Parley.start({ config: { agents, limits: LIMITS } });
  });
  afterAll(async () => {
    await parley.close();
    await provider.close();
  });

  async function turnOf(content: string, agentId = 'wisp/one') {
    const { id } = await ledger.createSession(parley, { agentId });
    const { body } = await ledger.send(parley, id, { content });
    const turn = await until(
      () => parley.turn(body.turn.id),
      (one) => one.endedAt !== null,
      15_000,
    );
    return { id, turn, messages: await parley.messages(id), session: await parley.session(id) };
  }

  it('broken tool arguments from a guest, who has no tools: the turn fails, the question stays', async () => {
    const { id } = await ledger.createSession(parley, { agentId: 'wisp/nowhere' });
    const wanted = { content: '[[tool=lookup args={"a":]]', guest: 'wisp/one' };
    const { body } = await ledger.send(parley, id, wanted);
    const turn = await until(
      () => parley.turn(body.turn.id),
      ({ endedAt }) => endedAt !== null,
    );
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'tools_not_allowed' } });
    expect((await parley.messages(id)).map(({ text }) => text)).toEqual([wanted.content]);
  });

  it.concurrent.each(FAULTS)('%s: the turn ends, the question stays', async (_, content, state, kept) => {
    const { turn, messages, session } = await turnOf(content);
    expect(turn.state).toBe(state);
    expect(messages[0]).toMatchObject({ role: 'user', text: content, status: 'complete' });
    expect(session.status).toBe(state === 'complete' ? 'active' : 'error');
    const said = messages[1]?.text ?? '';
    if (kept) expect(said).toMatch(kept);
    else expect(said).toBe('');
    if (state !== 'complete') {
      expect(turn.error?.message).toBeTruthy();
      expect(turn.error!.message).not.toMatch(/\n {4}at |node_modules|file:\/\//);
      if (messages[1]) expect(messages[1].status).toBe('interrupted');
    }
  });

  it('nobody listens at the address: a failed turn that can be retried', async () => {
    const { turn } = await turnOf('hello?', 'wisp/nowhere');
    expect(turn).toMatchObject({ state: 'failed', error: { retryable: true } });
  });

  it('P8: UTF-8 and <from> tags split at every byte arrive whole, and the tags are taken out', async () => {
    const tagged = '<from agent="wisp/one">Grüße 👩‍👩‍👧 aus 東京, é</from> <fromage> </from> end </from>';
    // A closing tag that nothing opened stays within the text and goes at its end.
    const clean = 'Grüße 👩‍👩‍👧 aus 東京, é <fromage> </from> end ';
    for (const chunkBytes of [1, 2, 3, 5, 7]) {
      provider.script(() => ({ steps: text(...tagged.split(/(?<=.)/u)), chunkBytes }));
      const { messages } = await turnOf(`split ${chunkBytes}`);
      expect(messages[1]!.text).toBe(clean);
    }
  });

  it('P2, P7: a cancel in the middle keeps what was said, once, and the provider is left', async () => {
    const held = gate();
    provider.script(() => ({ steps: [...text('said ', 'before '), { kind: 'gate', until: held.until }] }));
    const { id } = await ledger.createSession(parley, { agentId: 'wisp/one' });
    const { body } = await ledger.send(parley, id, { content: 'hold on' });
    await until(
      async () => provider.requests.filter((request) => request.said === 'hold on'),
      (all) => all.length === 1,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    await parley.ok('POST', `/api/turns/${body.turn.id}/cancellation`);
    expect(await parley.turn(body.turn.id)).toMatchObject({ state: 'cancelled' });
    expect(await parley.transcript(id)).toEqual(['user: hold on', 'wisp/one: said before ']);
    // The provider says no more until it has noticed: an answer that it ends by itself is not left.
    await until(
      async () => provider.requests.at(-1)!.abortedAt,
      (at) => at !== undefined,
    );
    held.open();
  });

  it('P1-P9 hold after all of it', async () => {
    // Here the closing tag of nobody is part of what was said.
    const sessions = (await parley.ok<{ sessions: { id: string; title: string }[] }>('GET', '/api/sessions')).sessions;
    for (const { id, title } of sessions) {
      if (!title.startsWith('split')) continue;
      await parley.ok('DELETE', `/api/sessions/${id}`);
      ledger.deleted(id);
    }
    await checkPromises(parley, ledger);
  });
});
