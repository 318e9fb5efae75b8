import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delta, TurnPartial } from '../../contract/events.ts';
import { type Gate, text } from '../harness/scripted-script.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { follow, isDurable, scriptAnswers } from './following.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let held: Gate;

beforeAll(async () => {
  server = await TestServer.start({ agents: ['ada', 'bob'] });
  reset();
});
afterAll(() => server.close());

function reset(): void {
  held = scriptAnswers(server);
}

/** A session in which everything happens that can. */
async function live(sessionId: string): Promise<void> {
  reset();
  const params = { sessionId };
  const first = await server.say(sessionId, 'One');
  await server.say(sessionId, { content: 'Two', guest: 'bob' });
  await server.send(sessionId, 'Hold on');
  await server.speaking(sessionId);
  await server.send(sessionId, { content: 'Steered', busy: 'steer' });
  const moved = await server.send(sessionId, 'Third');
  const removed = await server.send(sessionId, 'Fourth');
  const cancelled = await server.send(sessionId, 'Fifth');
  await server.call('editQueued', { params: { turnId: moved.turn.id }, body: { position: 1 } });
  await server.call('removeQueued', { params: { turnId: removed.turn.id } });
  await server.cancelTurn(cancelled.turn.id);
  held.open();
  await server.settled(moved.turn.id);
  await server.say(sessionId, { content: 'Fail', agent: 'bob' });
  await server.call('retryTurn', { params: { turnId: first.turn.id }, query: { wait: 10 } });
  await server.call('reviseMessage', {
    params: { messageId: first.message.id },
    query: { wait: 10 },
    body: { content: 'Better' },
  });
  await server.call('chooseHead', { params, body: { messageId: moved.message.id } });
  await server.call('renameSession', { params, body: { name: `Rich ${sessionId}` } });
  await server.call('pinSession', { params });
  await server.call('compactSession', { params, body: { keep: 2 } });
  await server.call('markRead', { params });
}

describe('a rich session', () => {
  let sessionId: string;
  let watched: Frame[];
  let durable: Frame[];
  let lastSeq: number;
  let began: number;

  beforeAll(async () => {
    began = (await server.call('listSessions')).position;
    const { id } = await server.create({ agentId: 'ada' });
    sessionId = id;
    const watching = follow(
      server,
      `/api/sessions/${id}/events?after=0`,
      ({ type, data }) =>
        type === 'session.updated' &&
        data.session.unreadCount === 0 &&
        data.session.pinnedAt !== null &&
        data.session.lastSeq > 30,
    );
    await live(id);
    watched = await watching;
    durable = watched.filter(isDurable);
    ({ lastSeq } = await server.session(id));
  });

  test('numbers its events from one, without a gap', () => {
    expect(durable.map(({ id }) => Number.parseInt(id ?? '', 10))).toEqual(durable.map((_, index) => index + 1));
    expect(durable.map(({ data }) => data.seq)).toEqual(durable.map((_, index) => index + 1));
    expect(durable.at(-1)?.data.seq).toBe(lastSeq);
    const kinds = new Set(durable.map(({ type }) => type));
    expect(kinds).toEqual(
      new Set([
        'session.created',
        'session.updated',
        'session.branched',
        'session.compacted',
        'turn.queued',
        'turn.updated',
        'turn.removed',
        'turn.started',
        'turn.settled',
        'message.created',
        'action.opened',
        'action.settled',
      ]),
    );
  });

  test('gives each turn its events in order, and one ending', () => {
    const byTurn = Map.groupBy(
      durable.filter(({ data }) => data.turn || data.message),
      ({ data }) => data.turn?.id ?? data.message.turnId,
    );
    for (const events of byTurn.values()) {
      const kinds = events.map(({ type }) => type).filter((type) => type !== 'turn.updated');
      const shape = kinds.join(' ').replaceAll(/( message\.created)+/g, ' message.created');
      expect([
        'turn.queued turn.started message.created turn.settled',
        'turn.queued turn.started turn.settled',
        'turn.queued turn.settled',
        'turn.queued',
      ]).toContain(shape);
    }
  });

  test('can be resumed at every number: exactly what came after it, as it was seen live', async () => {
    for (let after = 0; after < lastSeq; after++) {
      const replayed = await follow(server, `/api/sessions/${sessionId}/events`, lastSeq, {
        'Last-Event-ID': String(after),
      });
      expect(replayed.every(isDurable)).toBe(true);
      expect(withoutRemoved(replayed)).toEqual(withoutRemoved(durable.slice(after)));
    }
  });

  test('can be resumed at every position of the stream of all sessions', async () => {
    const everything = await follow(
      server,
      `/api/events?after=${began}&sessions=${sessionId}`,
      ({ data }) => data.seq === lastSeq,
    );
    expect(everything.map(({ data }) => data)).toEqual(durable.map(({ data }) => data).map(emptied));
    expect(everything.map(({ id }) => Number.parseInt(id!, 10))).toEqual(everything.map(({ data }) => data.position));
    for (const [index, { id }] of everything.entries()) {
      if (index === everything.length - 1) break;
      const replayed = await follow(
        server,
        '/api/events',
        ({ data }) => data.sessionId === sessionId && data.seq === lastSeq,
        {
          'Last-Event-ID': id!,
        },
      );
      expect(replayed.filter(({ data }) => data.sessionId === sessionId)).toEqual(everything.slice(index + 1));
    }
  });

  test('shows the same order to the stream, the history and the export', async () => {
    const placed = durable.flatMap(({ type, data }) =>
      ['turn.started', 'message.created', 'turn.settled'].includes(type) && data.message?.seq ? [data.message] : [],
    );
    const order = new Map(placed.map((message) => [message.id, message.seq as number]));
    const exported = await server.call('exportSession', { params: { sessionId } });
    expect(exported.messages.map(({ id, seq }) => [id, seq])).toEqual([...order].sort((a, b) => a[1] - b[1]));
    const shown = await server.messages(sessionId);
    expect(shown.every(({ id, seq }) => order.get(id) === seq)).toBe(true);
  });

  test('has nothing more to say to a cursor at its end, and resets one past it', async () => {
    const [frame] = await follow(server, `/api/sessions/${sessionId}/events?after=${lastSeq + 1}`, () => true);
    expect(frame).toMatchObject({
      type: 'reset',
      id: expect.stringMatching(`^${lastSeq}\\.`),
      data: { position: lastSeq },
    });
    const { position } = await server.call('listSessions');
    const [other] = await follow(server, `/api/events?after=${position + 1000}`, () => true);
    expect(other).toMatchObject({ type: 'reset', id: expect.stringMatching(`^${position}\\.`), data: { position } });
  });

  /** The words of a message that was taken back are gone for good: a replay shows that it was there, and no more. */
  function withoutRemoved(frames: Frame[]): Frame[] {
    return frames.map((frame) => ({ ...frame, data: emptied(frame.data) }));
  }

  function emptied(data: Frame['data']): Frame['data'] {
    return data.message?.text === 'Fourth' ? { ...data, message: { ...data.message, text: '', parts: [] } } : data;
  }
});

/** What a client knows of a running turn, from partials and deltas. */
class Listener {
  readonly parts: string[] = [];

  hear({ type, data }: Frame): void {
    if (type === 'turn.partial')
      for (const { part, text: said } of (data as TurnPartial).parts) this.parts[part] = said;
    if (type !== 'delta') return;
    const { part, offset, text: piece } = data as Delta;
    const before = this.parts[part] ?? '';
    expect(offset).toBeLessThanOrEqual(before.length);
    this.parts[part] = before.slice(0, offset) + piece;
  }
}

describe('somebody who comes in the middle', () => {
  test.each(['/api/events', '/api/sessions/SESSION/events'])('of an answer hears all of it, on %s', async (route) => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index} `);
    server.provider.script(() => ({
      steps: [
        { kind: 'reasoning', text: 'Let me think. ' },
        ...words.flatMap((word) => [...text(word), { kind: 'wait' as const, ms: 5 }]),
      ],
    }));
    const session = await server.open();
    const { turn } = await server.send(session, 'Speak');
    const isOver = ({ type, data }: Frame) => type === 'turn.settled' && data.turn.id === turn.id;
    const listening = [];
    for (let moment = 0; moment < 10; moment++) {
      listening.push(follow(server, route.replace('SESSION', session), isOver));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    for (const frames of await Promise.all(listening)) {
      const listener = new Listener();
      for (const frame of frames.filter(({ data }) => data.turnId === turn.id)) listener.hear(frame);
      expect(listener.parts).toEqual(['Let me think. ', words.join('')]);
      expect(frames.at(-2)?.data.message.text).toBe(words.join(''));
    }
    expect(
      (await Promise.all(listening)).filter((frames) => frames.some(({ type }) => type === 'turn.partial')).length,
    ).toBeGreaterThan(3);
  });
});

describe('a snapshot', () => {
  test('holds what was said and what is being said, and tells live text before a stored message from the text after it', async () => {
    reset();
    const session = await server.open();
    await server.say(session, 'One');
    await server.send(session, 'Hold on');
    await server.speaking(session);
    const { turn: queued } = await server.send(session, 'Later');
    const before = await server.call('sessionSnapshot', { params: { sessionId: session } });
    expect(before.messages.messages.map(({ text }) => text).slice(0, 3)).toEqual([
      'One',
      expect.any(String),
      'Hold on',
    ]);
    expect(before.queue.map(({ turn }) => turn.id)).toEqual([queued.id]);
    expect(before.session.lastSeq).toBe((await server.call('getSession', { params: { sessionId: session } })).lastSeq);
    expect(before.partials).toMatchObject([{ after: null, parts: [{ part: 0, kind: 'text' }] }]);
    held.open();
    await server.settled(queued.id);
    expect((await server.call('sessionSnapshot', { params: { sessionId: session } })).partials).toEqual([]);
  });
});

test.each(['/api/events', '/api/sessions/SESSION/events'])(
  'a request that is sent again is announced with its reason and its wait, also to those who come later, on %s',
  async (route) => {
    let requests = 0;
    server.provider.script(() => {
      requests += 1;
      return requests === 1 ? { status: 429, headers: { 'retry-after': '1' }, body: '{}' } : { steps: text('At last') };
    });
    const session = await server.open();
    const isOver = ({ type, data }: Frame) => type === 'turn.settled' && data.turn.sessionId === session;
    const at = route.replace('SESSION', session);
    const first = follow(server, at, isOver);
    await server.send(session, 'Speak');
    await expect.poll(() => requests).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const late = follow(server, at, isOver);
    const told = (await first).find(({ type }) => type === 'turn.retrying');
    expect(told?.data).toMatchObject({ sessionId: session, code: 'model_rate_limited' });
    expect(told?.data.waitMs).toBeGreaterThanOrEqual(1000);
    const partial = (await late).find(({ type, data }) => type === 'turn.partial' && data.sessionId === session);
    expect(partial?.data.retry).toMatchObject({ code: 'model_rate_limited' });
    expect(partial?.data.retry.waitMs).toBeLessThan(told?.data.waitMs);
    expect((await late).find(({ type }) => type === 'message.created')?.data.message.text).toBe('At last');
  },
);
