import { cpSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../contract/events.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { readUpto } from '../harness/readback.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { AGENTS, answerTo, Fixture } from './fixture.ts';

/** One client: what it has applied, and the words it has put together for each turn. */
class Client {
  readonly events: SessionEvent[] = [];
  readonly words = new Map<string, string>();
  readonly #fixture: Fixture;
  readonly #route: string;
  cursor: string;
  resets = 0;
  #controller = new AbortController();

  constructor(fixture: Fixture, route: string, cursor: number | string) {
    this.#fixture = fixture;
    this.#route = route;
    this.cursor = String(cursor);
  }

  /** Follows until told to stop, from its cursor on. */
  async follow(until: (frame: Frame) => boolean): Promise<void> {
    this.#controller = new AbortController();
    const headers = { 'Last-Event-ID': this.cursor };
    for await (const frame of this.#fixture.parley.events(this.#route, headers, this.#controller.signal)) {
      this.#apply(frame);
      if (until(frame)) break;
    }
    this.#controller.abort();
  }

  #apply(frame: Frame): void {
    if (frame.type === 'reset') this.resets += 1;
    if (frame.id !== undefined) {
      this.cursor = frame.id;
      if (frame.type !== 'reset') this.events.push(frame.data);
    } else if (frame.type === 'turn.partial') {
      this.words.set(frame.data.turnId, frame.data.parts.map((part: { text: string }) => part.text).join(''));
    } else if (frame.type === 'delta') {
      const { turnId, offset, text } = frame.data;
      const known = this.words.get(turnId) ?? '';
      // A delta may begin in what a partial has told already, never beyond it.
      expect(offset).toBeLessThanOrEqual(known.length);
      this.words.set(turnId, known.slice(0, offset) + text);
    }
  }
}

describe('reconnecting', { timeout: 60_000 }, () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.open({ delayMs: 8 });
  });
  afterAll(() => fixture.close());

  it('P6: after every single frame of a live turn, again and again: nothing missed, nothing twice', async () => {
    const { id } = await fixture.session();
    const client = new Client(fixture, `/api/sessions/${id}/events`, 1);
    const receipts = [];
    for (const content of ['one', 'two', 'three']) receipts.push(await fixture.send(id, { content }));
    const last = receipts.at(-1)!.turn.id;
    for (let over = false; !over; ) {
      let frames = 0;
      await client.follow((frame) => {
        frames += 1;
        over ||= frame.type === 'turn.settled' && frame.data.turn.id === last;
        return over || frames === 2;
      });
    }
    const { lastSeq } = await fixture.parley.session(id);
    expect(client.events.map((event) => event.seq)).toEqual(
      Array.from({ length: lastSeq - 1 }, (_, index) => index + 2),
    );
    expect(client.resets).toBe(0);
  });

  it('P6: from every event number, a stream gives exactly what came after it', async () => {
    const { id } = await fixture.session();
    for (const content of ['one', 'two']) await fixture.say(id, { content });
    await fixture.say(id, { content: 'three', guest: AGENTS[2]! });
    const { lastSeq } = await fixture.parley.session(id);
    const route = `/api/sessions/${id}/events`;
    const all = await readUpto(fixture.parley, route, lastSeq, (event) => event.seq);
    for (let after = 0; after < lastSeq; after++) {
      const rest = await readUpto(fixture.parley, route, lastSeq, (event) => event.seq, after);
      expect(rest).toEqual(all.slice(after));
    }
  });

  it('P6: a cursor from the future or from before a clearing gets a reset, never a silent gap', async () => {
    const { id } = await fixture.session();
    await fixture.say(id, { content: 'soon gone' });
    const route = `/api/sessions/${id}/events`;
    await fixture.parley.ok('DELETE', `/api/sessions/${id}/messages`);
    fixture.ledger.cleared(id);
    for (const cursor of [1, 999_999]) {
      const client = new Client(fixture, route, cursor);
      await client.follow((frame) => frame.type === 'reset');
      expect([client.resets, Number.parseInt(client.cursor, 10)]).toEqual([
        1,
        (await fixture.parley.session(id)).lastSeq,
      ]);
    }
  });

  it('P6: after a kill a client goes on where it was; after a restored backup it gets a reset instead of a gap', async () => {
    const fixture = await Fixture.open({ delayMs: 0 });
    try {
      await loseHistory(fixture);
    } finally {
      await fixture.close();
    }
  });

  it('P5, P7: twenty clients that join at different moments all put the same words together', async () => {
    const { id } = await fixture.session();
    fixture.delayMs = 50;
    const receipt = await fixture.send(id, { content: 'for everyone' });
    const clients = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 25));
        const client = new Client(fixture, index % 2 ? '/api/events' : `/api/sessions/${id}/events`, 0);
        await client.follow((frame) => frame.type === 'turn.settled' && frame.data.turn.id === receipt.turn.id);
        return client;
      }),
    );
    for (const client of clients) expect(client.words.get(receipt.turn.id)).toBe(answerTo('for everyone'));
    fixture.delayMs = 8;
  });

  it('P6: a restart in between changes nothing for a client that comes back with its cursor', async () => {
    const { id } = await fixture.session();
    fixture.delayMs = 30;
    const client = new Client(fixture, `/api/sessions/${id}/events`, 0);
    const receipt = await fixture.send(id, { content: 'cut by a kill' });
    await client.follow((frame) => frame.type === 'delta');
    await new Promise((resolve) => setTimeout(resolve, 400));
    await fixture.parley.kill();
    await fixture.parley.restart();
    await client.follow((frame) => frame.type === 'turn.settled');
    const { lastSeq } = await fixture.parley.session(id);
    await until(
      async () => Number.parseInt(client.cursor, 10),
      (cursor) => cursor === lastSeq,
    );
    expect(client.events.map((event) => event.seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    expect(client.events.at(-1)).toMatchObject({
      type: 'turn.settled',
      turn: { id: receipt.turn.id, state: 'interrupted' },
    });
  });

  it('the checker finds nothing afterwards', async () => {
    await checkPromises(fixture.parley, fixture.ledger);
  });
});

async function loseHistory(fixture: Fixture): Promise<void> {
  const { id } = await fixture.session();
  const routes = ['/api/events', `/api/sessions/${id}/events`];
  const clients = routes.map((route) => new Client(fixture, route, 0));
  const sayAndFollow = async (content: string, followers: readonly Client[]) => {
    const { turn } = await fixture.say(id, { content });
    const isOver = ({ type, data }: Frame) => type === 'turn.settled' && data.turn.id === turn.id;
    for (const client of followers) await client.follow(isOver);
  };
  await sayAndFollow('before the backup', clients);
  const early = clients.map((client) => client.cursor);
  const file = path.join(fixture.parley.home, 'parley.db');
  await fixture.parley.stop();
  cpSync(file, `${file}.backup`);
  await fixture.parley.restart();
  await sayAndFollow('lost later', clients);
  await fixture.parley.kill();
  await fixture.parley.restart();
  await sayAndFollow('after a kill', clients);
  expect(clients.map(({ resets }) => resets)).toEqual([0, 0]);
  await fixture.parley.kill();
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  renameSync(`${file}.backup`, file);
  await fixture.parley.restart();
  // More than what was lost, so that the numbers are known again.
  for (const content of ['one', 'two', 'three']) await fixture.parley.say(id, { content });
  for (const client of clients) await client.follow(() => true);
  expect(clients.map(({ resets }) => resets)).toEqual([1, 1]);
  for (const [index, cursor] of early.entries()) {
    const client = new Client(fixture, routes[index]!, cursor);
    await client.follow(({ type, data }) => type === 'turn.settled' && data.status === 'active');
    expect([client.resets, client.events[0]]).toMatchObject([0, { type: 'turn.queued', message: { text: 'one' } }]);
  }
}
