import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { readUpto } from '../harness/readback.ts';
import type { Script } from '../harness/scripted-script.ts';
import { AGENTS, Fixture } from './fixture.ts';

const BRIEF = (): Script => ({ steps: [{ kind: 'text', text: 'read' }] });
const LIMITS = { streamBufferBytes: 50_000, streamsPerUser: 1200, heartbeatMs: 750 };

describe('clients that are slow, or gone', { timeout: 60_000 }, () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.open({ config: { limits: LIMITS }, delayMs: 1 });
    fixture.ledger.expectedAnswer = undefined;
    fixture.provider.script(BRIEF);
  });
  afterAll(() => fixture.close());

  it('P6: a message of the largest size reaches a client whose buffer is far smaller, live and later', async () => {
    const { id } = await fixture.session();
    const live: string[] = [];
    const controller = new AbortController();
    const listening = (async () => {
      for await (const frame of fixture.parley.events('/api/events', {}, controller.signal)) live.push(frame.type);
    })();
    await until(
      () => streams(fixture),
      (count) => count === 1,
    );
    await fixture.say(id, { content: 'x'.repeat(1_000_000) });
    await fixture.say(id, { content: 'and one more' });
    await until(
      async () => live,
      (types) => types.filter((type) => type === 'turn.settled').length === 2,
    );
    controller.abort();
    await listening;
    const { lastSeq } = await fixture.parley.session(id);
    const replayed = await readUpto(fixture.parley, `/api/sessions/${id}/events`, lastSeq, (event) => event.seq);
    expect(replayed.map((event) => event.seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
  });

  it('P6, P12: a past of many megabytes is told at the pace of the client, in bounded memory', async () => {
    const position = await newest(fixture);
    for (let index = 0; index < 16; index++) {
      const { id } = await fixture.session(AGENTS[0], { id: `long-${index}` });
      await fixture.say(id, { content: `${index} ${'y'.repeat(500_000)}` });
    }
    const last = await newest(fixture);
    const before = await residentBytes(fixture);
    const route = `/api/events?after=${position}`;
    const stalled = await Promise.all(Array.from({ length: 12 }, () => stall(fixture, route)));
    await until(
      () => streams(fixture),
      (count) => count === 12,
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    const grown = (await residentBytes(fixture)) - before;
    // Who catches up is waited for, not let go.
    const waitedFor = await streams(fixture);
    for (const socket of stalled) socket.destroy();
    expect(waitedFor).toBe(12);
    // Twelve times sixteen megabytes would wait in memory if nobody looked at the pace.
    expect(grown).toBeLessThan(150_000_000);
    const replayed = await readUpto(fixture.parley, '/api/events', last, (event) => event.position, position);
    expect(replayed.filter((event) => event.type === 'turn.settled').length).toBe(16);
    for (let index = 0; index < 16; index++) await remove(fixture, `long-${index}`);
  });

  it('P6: what happens during a long replay is told once, after it', async () => {
    const position = await newest(fixture);
    for (let index = 0; index < 30; index++) {
      const { id } = await fixture.session(AGENTS[0], { id: `past-${index}` });
      await fixture.say(id, { content: `${index} ${'z'.repeat(500_000)}` });
    }
    const { id } = await fixture.session(AGENTS[0], { id: 'meanwhile' });
    const frames = fixture.parley.events(`/api/events?after=${position}&deltas=false`);
    const positions = [Number.parseInt((await frames.next()).value!.id!, 10)];
    // The client rests with most of the past unread, and life goes on.
    for (let index = 0; index < 5; index++) await fixture.say(id, { content: `meanwhile ${index}` });
    const last = await newest(fixture);
    while (positions.at(-1)! < last) positions.push(Number.parseInt((await frames.next()).value!.id!, 10));
    // What was held back would come now, a second time.
    await fixture.say(id, { content: 'and then' });
    const end = await newest(fixture);
    while (positions.at(-1)! < end) positions.push(Number.parseInt((await frames.next()).value!.id!, 10));
    await frames.return(undefined);
    const wanted = await readUpto(fixture.parley, '/api/events', end, (event) => event.position, position);
    expect(positions).toEqual(wanted.map((event) => event.position));
    for (let index = 0; index < 30; index++) await remove(fixture, `past-${index}`);
  });

  it('P6, P12: a client that rests during a long answer goes on where it was, on the same connection', async () => {
    const { id } = await fixture.session();
    const text = 'word '.repeat(400_000);
    fixture.provider.script(() => ({
      steps: [{ kind: 'repeat', text: 'word '.repeat(40), count: 10_000, perWrite: 50 }],
    }));
    const position = await newest(fixture);
    const frames = fixture.parley.events(`/api/events?after=${position}`);
    const first = frames.next();
    await fixture.say(id, { content: 'talk much' });
    const last = await newest(fixture);
    const seen = [(await first).value!];
    while (Number.parseInt(seen.at(-1)!.id ?? '0', 10) < last) seen.push((await frames.next()).value!);
    await frames.return(undefined);
    const numbered = seen.flatMap((frame) => (frame.id === undefined ? [] : [Number.parseInt(frame.id, 10)]));
    expect(numbered).toEqual(range(position + 1, last));
    expect(seen.find((frame) => frame.type === 'message.created')?.data.message.text).toBe(text);
  });

  it('P6, P12: clients that read nothing share the bytes of a large answer, and are disconnected in the end', async () => {
    const { id } = await fixture.session();
    const position = await newest(fixture);
    const stalled = await Promise.all(
      Array.from({ length: 40 }, () => stall(fixture, `/api/events?after=${position}`)),
    );
    await until(
      () => streams(fixture),
      (count) => count === 40,
    );
    const before = await residentBytes(fixture);
    fixture.provider.script(() => ({ steps: [{ kind: 'repeat', text: 'word '.repeat(4000), count: 150 }] }));
    await fixture.say(id, { content: 'talk much' });
    // Forty copies of the answer would be 120 MB, with its words twice in each 240 MB.
    expect((await residentBytes(fixture)) - before).toBeLessThan(150_000_000);
    // The system itself buffers megabytes for a connection whose client does not read.
    for (let more = 0; more < 4; more++) await fixture.say(id, { content: 'talk more' });
    await until(
      () => streams(fixture),
      (count) => count === 0,
      20_000,
    );
    for (const socket of stalled) socket.destroy();
    const { lastSeq } = await fixture.parley.session(id);
    const all = await readUpto(
      fixture.parley,
      '/api/events',
      await newest(fixture),
      (event) => event.position,
      position,
    );
    expect(all.filter((event) => event.sessionId === id).at(-1)!.seq).toBe(lastSeq);
  });

  it('the words of a message travel once in each event', async () => {
    const { id } = await fixture.session();
    fixture.provider.script(() => ({ steps: [{ kind: 'text', text: 'the answer in question' }] }));
    await fixture.say(id, { content: 'the question at hand' });
    const { lastSeq } = await fixture.parley.session(id);
    const socket = await stall(fixture, `/api/sessions/${id}/events?after=0&deltas=false`);
    const received = await readRaw(socket, `id: ${lastSeq}.`);
    const saying = received.split('\n').filter((line) => /question/.test(line) && line.includes('"message":{'));
    expect(saying.map((line) => line.match(/the question at hand|the answer in question/g))).toEqual([
      ['the question at hand'],
      ['the question at hand'],
      ['the answer in question'],
    ]);
  });

  it('a client that goes away in the middle of its own turn stream cancels nothing', async () => {
    const { id } = await fixture.session(AGENTS[1]);
    fixture.provider.script(() => ({ steps: [{ kind: 'repeat', text: 'still here ', count: 60, delayMs: 5 }] }));
    const controller = new AbortController();
    const accept = { Accept: 'text/event-stream' };
    const message = { id: 'left-alone', content: 'I leave' };
    fixture.ledger.sent.set('left-alone', { ...message, ...UNKNOWN, sessionId: id, text: message.content });
    const route = `/api/sessions/${id}/messages`;
    const response = await fixture.parley.fetch('POST', route, message, accept, controller.signal);
    await response.body!.getReader().read();
    controller.abort();
    await until(
      () => fixture.parley.session(id),
      (session) => session.status === 'active',
    );
    expect((await fixture.parley.messages(id)).at(-1)).toMatchObject({
      status: 'complete',
      text: 'still here '.repeat(60),
    });
  });

  it('while hundreds of clients catch up, the server answers others', async () => {
    const { id } = await fixture.session();
    fixture.provider.script(BRIEF);
    const position = await newest(fixture);
    for (let index = 0; index < 25; index++) await fixture.say(id, { content: `line ${index}` });
    const last = await newest(fixture);
    const sockets = await Promise.all(Array.from({ length: 600 }, () => open(fixture)));
    const began = performance.now();
    const asking = askRepeatedly(fixture);
    for (const socket of sockets) request(fixture, socket, `/api/events?after=${position}&deltas=false`);
    await Promise.all(sockets.map((socket) => readRaw(socket, `id: ${last}.`)));
    const tookMs = performance.now() - began;
    // Without pauses between them, the last client is served before anything else.
    expect(await asking.longestMs()).toBeLessThan(tookMs / 2);
  });

  it('a thousand clients that reconnect at once all get the same', async () => {
    const { id } = await fixture.session();
    fixture.provider.script(BRIEF);
    for (let index = 0; index < 3; index++) await fixture.say(id, { content: `line ${index}` });
    const { lastSeq } = await fixture.parley.session(id);
    const all = await Promise.all(
      Array.from({ length: 1000 }, (_, index) =>
        readUpto(fixture.parley, `/api/sessions/${id}/events`, lastSeq, (event) => event.seq, index % lastSeq),
      ),
    );
    for (const [index, events] of all.entries())
      expect(events.map((event) => event.seq)).toEqual(range((index % lastSeq) + 1, lastSeq));
    await until(
      () => streams(fixture),
      (count) => count === 0,
    );
  });

  it('after all of this the checker finds nothing', async () => {
    await checkPromises(fixture.parley, fixture.ledger);
  });
});

/** Asks for /health again and again. */
function askRepeatedly(fixture: Fixture): { longestMs(): Promise<number> } {
  let longest = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const began = performance.now();
      expect((await fixture.parley.request('GET', '/health')).status).toBe(200);
      longest = Math.max(longest, performance.now() - began);
    }
  })();
  return {
    longestMs: async () => {
      isOver = true;
      await asking;
      return longest;
    },
  };
}

async function remove(fixture: Fixture, id: string): Promise<void> {
  await fixture.parley.ok('DELETE', `/api/sessions/${id}`);
  fixture.ledger.deleted(id);
}

const UNKNOWN = { agent: undefined, guest: false, acknowledged: true, mayBeGone: false };

function range(from: number, upto: number): number[] {
  return Array.from({ length: upto - from + 1 }, (_, index) => from + index);
}

/** Asks for a stream and never reads what comes. */
async function stall(fixture: Fixture, route: string): Promise<Socket> {
  const socket = await open(fixture);
  request(fixture, socket, route);
  return socket;
}

async function open(fixture: Fixture): Promise<Socket> {
  const { hostname, port } = new URL(fixture.parley.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket.pause();
}

function request(fixture: Fixture, socket: Socket, route: string): void {
  const { host } = new URL(fixture.parley.url);
  socket.write(`GET ${route} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${fixture.parley.token}\r\n\r\n`);
}

/** The bytes of a stream as they are sent, until some have come. */
async function readRaw(socket: Socket, end: string): Promise<string> {
  let received = '';
  socket.on('data', (bytes: Buffer) => {
    received += bytes;
    if (received.includes(end)) socket.destroy();
  });
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

async function gauge(fixture: Fixture, name: string): Promise<number> {
  const { body } = await fixture.parley.request<string>('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

const streams = (fixture: Fixture) => gauge(fixture, 'parley_streams_open');
const residentBytes = (fixture: Fixture) => gauge(fixture, 'parley_resident_memory_bytes');

async function newest(fixture: Fixture): Promise<number> {
  return (await fixture.parley.ok<{ position: number }>('GET', '/api/sessions?limit=1')).position;
}
