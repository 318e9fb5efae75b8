import { cpSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../contract/events.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { readUpto } from '../harness/readback.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { AGENTS, answerTo, Scene } from './scene.ts';

/** One client: what it has applied, and the words it has put together for each turn. */
class Client {
  readonly events: SessionEvent[] = [];
  readonly words = new Map<string, string>();
  readonly #scene: Scene;
  readonly #route: string;
  cursor: string;
  resets = 0;
  #controller = new AbortController();

  constructor(scene: Scene, route: string, cursor: number | string) {
    this.#scene = scene;
    this.#route = route;
    this.cursor = String(cursor);
  }

  /** Follows until told to stop, from its cursor on. */
  async follow(until: (frame: Frame) => boolean): Promise<void> {
    this.#controller = new AbortController();
    const headers = { 'Last-Event-ID': this.cursor };
    for await (const frame of this.#scene.parley.events(this.#route, headers, this.#controller.signal)) {
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
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ delayMs: 8 });
  });
  afterAll(() => scene.close());

  it('P6: after every single frame of a live turn, again and again: nothing missed, nothing twice', async () => {
    const { id } = await scene.session();
    const client = new Client(scene, `/api/sessions/${id}/events`, 1);
    const receipts = [];
    for (const content of ['one', 'two', 'three']) receipts.push(await scene.send(id, { content }));
    const last = receipts.at(-1)!.turn.id;
    for (let over = false; !over; ) {
      let frames = 0;
      await client.follow((frame) => {
        frames += 1;
        over ||= frame.type === 'turn.settled' && frame.data.turn.id === last;
        return over || frames === 2;
      });
    }
    const { lastSeq } = await scene.parley.session(id);
    expect(client.events.map((event) => event.seq)).toEqual(
      Array.from({ length: lastSeq - 1 }, (_, index) => index + 2),
    );
    expect(client.resets).toBe(0);
  });

  it('P6: from every event number, a stream gives exactly what came after it', async () => {
    const { id } = await scene.session();
    for (const content of ['one', 'two']) await scene.say(id, { content });
    await scene.say(id, { content: 'three', guest: AGENTS[2]! });
    const { lastSeq } = await scene.parley.session(id);
    const route = `/api/sessions/${id}/events`;
    const all = await readUpto(scene.parley, route, lastSeq, (event) => event.seq);
    for (let after = 0; after < lastSeq; after++) {
      const rest = await readUpto(scene.parley, route, lastSeq, (event) => event.seq, after);
      expect(rest).toEqual(all.slice(after));
    }
  });

  it('P6: a cursor from the future or from before a clearing gets a reset, never a silent gap', async () => {
    const { id } = await scene.session();
    await scene.say(id, { content: 'soon gone' });
    const route = `/api/sessions/${id}/events`;
    await scene.parley.ok('DELETE', `/api/sessions/${id}/messages`);
    scene.ledger.cleared(id);
    for (const cursor of [1, 999_999]) {
      const client = new Client(scene, route, cursor);
      await client.follow((frame) => frame.type === 'reset');
      expect([client.resets, Number.parseInt(client.cursor, 10)]).toEqual([
        1,
        (await scene.parley.session(id)).lastSeq,
      ]);
    }
  });

  it('P6: after a kill a client goes on where it was; after a restored backup it gets a reset instead of a gap', async () => {
    const scene = await Scene.open({ delayMs: 0 });
    try {
      await loseHistory(scene);
    } finally {
      await scene.close();
    }
  });

  it('P5, P7: twenty clients that join at different moments all put the same words together', async () => {
    const { id } = await scene.session();
    scene.delayMs = 50;
    const receipt = await scene.send(id, { content: 'for everyone' });
    const clients = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 25));
        const client = new Client(scene, index % 2 ? '/api/events' : `/api/sessions/${id}/events`, 0);
        await client.follow((frame) => frame.type === 'turn.settled' && frame.data.turn.id === receipt.turn.id);
        return client;
      }),
    );
    for (const client of clients) expect(client.words.get(receipt.turn.id)).toBe(answerTo('for everyone'));
    scene.delayMs = 8;
  });

  it('P6: a restart in between changes nothing for a client that comes back with its cursor', async () => {
    const { id } = await scene.session();
    scene.delayMs = 30;
    const client = new Client(scene, `/api/sessions/${id}/events`, 0);
    const receipt = await scene.send(id, { content: 'cut by a kill' });
    await client.follow((frame) => frame.type === 'delta');
    await new Promise((resolve) => setTimeout(resolve, 400));
    await scene.parley.kill();
    await scene.parley.restart();
    await client.follow((frame) => frame.type === 'turn.settled');
    const { lastSeq } = await scene.parley.session(id);
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
    await checkPromises(scene.parley, scene.ledger);
  });
});

async function loseHistory(scene: Scene): Promise<void> {
  const { id } = await scene.session();
  const routes = ['/api/events', `/api/sessions/${id}/events`];
  const clients = routes.map((route) => new Client(scene, route, 0));
  const sayAndFollow = async (content: string, followers: readonly Client[]) => {
    const { turn } = await scene.say(id, { content });
    const isOver = ({ type, data }: Frame) => type === 'turn.settled' && data.turn.id === turn.id;
    for (const client of followers) await client.follow(isOver);
  };
  await sayAndFollow('before the backup', clients);
  const early = clients.map((client) => client.cursor);
  const file = path.join(scene.parley.home, 'parley.db');
  await scene.parley.stop();
  cpSync(file, `${file}.backup`);
  await scene.parley.restart();
  await sayAndFollow('lost later', clients);
  await scene.parley.kill();
  await scene.parley.restart();
  await sayAndFollow('after a kill', clients);
  expect(clients.map(({ resets }) => resets)).toEqual([0, 0]);
  await scene.parley.kill();
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  renameSync(`${file}.backup`, file);
  await scene.parley.restart();
  // More than what was lost, so that the numbers are known again.
  for (const content of ['one', 'two', 'three']) await scene.parley.say(id, { content });
  for (const client of clients) await client.follow(() => true);
  expect(clients.map(({ resets }) => resets)).toEqual([1, 1]);
  for (const [index, cursor] of early.entries()) {
    const client = new Client(scene, routes[index]!, cursor);
    await client.follow(({ type, data }) => type === 'turn.settled' && data.status === 'active');
    expect([client.resets, client.events[0]]).toMatchObject([0, { type: 'turn.queued', message: { text: 'one' } }]);
  }
}
