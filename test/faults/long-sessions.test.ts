import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageList } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { listSessions } from '../harness/readback.ts';
import { isDeath, Scene } from './scene.ts';

/** Enough for every operation to take many transactions, on a fast machine too. */
const MESSAGES = 20_000;
const FILE = {
  agent: 'wisp/one',
  messages: Array.from({ length: MESSAGES }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `line ${index} of a long conversation about several things`,
  })),
};

describe('long sessions', { timeout: 120_000 }, () => {
  let scene: Scene;
  let long: Session;
  beforeAll(async () => {
    scene = await Scene.open();
    long = await importFile();
  }, 60_000);
  afterAll(() => scene.close());

  const importFile = () => scene.parley.ok<Session>('POST', '/api/imports', FILE);
  const fork = () => scene.parley.ok<Session>('POST', `/api/sessions/${long.id}/forks`, {});
  const ids = async () => (await listSessions(scene.parley)).map(({ id }) => id).sort();

  it('others read and write while one is imported, forked and deleted, and see it whole or not at all', async () => {
    const other = await scene.session();
    const imported = await whileOthersWrite(scene, other, importFile);
    expect(imported).toMatchObject({ messageCount: MESSAGES, status: 'active' });
    const copy = await whileOthersWrite(scene, other, fork);
    expect(copy).toMatchObject({ messageCount: MESSAGES, forkedFrom: { sessionId: long.id }, status: 'active' });
    const texts = async ({ id }: Session) =>
      (await scene.parley.messages(id)).map(({ text, seq, role }) => [seq, role, text]);
    expect(await texts(copy)).toEqual(await texts(long));
    await whileOthersWrite(scene, other, () => scene.parley.ok('DELETE', `/api/sessions/${copy.id}`));
    expect((await scene.parley.request('GET', `/api/sessions/${copy.id}`)).status).toBe(404);
    expect(checkDatabase(scene.parley.home)).toEqual([]);
  });

  it('P14: a kill in the middle of an import or a fork leaves nothing of it', async () => {
    const before = await ids();
    for (const copy of [importFile, fork]) {
      await scene.parley.restart({ PARLEY_FAULT: 'detached.written:3' });
      expect(await copy().catch(isDeath)).toBe(true);
      await scene.parley.waitForExit();
      await scene.parley.restart({});
      expect(await ids()).toEqual(before);
      expect(checkDatabase(scene.parley.home)).toEqual([]);
    }
  });

  it('one is edited near its beginning, shown as before again, and cleared', async () => {
    const copy = await fork();
    const newest = (await scene.parley.messages(copy.id)).at(-1)!;
    const page = await scene.parley.ok<MessageList>('GET', `/api/sessions/${copy.id}/messages?after=1&limit=3`);
    const early = page.messages.find(({ role }) => role === 'user')!;
    await scene.parley.ok('POST', `/api/messages/${early.id}/revisions?wait=20`, { content: 'Instead' });
    expect((await scene.parley.session(copy.id)).messageCount).toBe(early.seq! + 1);
    await scene.parley.ok('PUT', `/api/sessions/${copy.id}/head`, { messageId: newest.id });
    expect(await scene.parley.session(copy.id)).toMatchObject({ messageCount: MESSAGES, headId: newest.id });
    await scene.parley.ok('POST', `/api/messages/${early.id}/revisions?wait=20`, { content: 'Once more' });
    await scene.parley.ok('DELETE', `/api/sessions/${copy.id}/messages`);
    expect(await scene.parley.session(copy.id)).toMatchObject({ messageCount: 0, headId: null });
    expect(checkDatabase(scene.parley.home)).toEqual([]);
    await scene.parley.ok('DELETE', `/api/sessions/${copy.id}`);
  });

  it('P10, P14: a kill in the middle of a deletion leaves nothing, in lists, streams, search or the file', async () => {
    const before = await ids();
    const copy = await fork();
    await scene.parley.restart({ PARLEY_FAULT: 'detached.removed:2' });
    expect(await scene.parley.ok('DELETE', `/api/sessions/${copy.id}`).catch(isDeath)).toBe(true);
    await scene.parley.waitForExit();
    await scene.parley.restart({});
    expect(await ids()).toEqual(before);
    expect(checkDatabase(scene.parley.home)).toEqual([]);
    const again = await scene.session('wisp/one', { id: copy.id });
    expect(await scene.parley.messages(again.id)).toEqual([]);
  });
});

/**
 * Others change a session again and again, and each of them waits only for a part of the work; every list shows what is
 * being made or deleted whole or not at all.
 */
async function whileOthersWrite<T>(scene: Scene, other: Session, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const repeatedly = async (doOnce: (round: number) => Promise<void>) => {
    for (let round = 0; !isOver; round += 1) await doOnce(round);
  };
  let longestMs = 0;
  const write = async (round: number) => {
    const begun = performance.now();
    await scene.parley.ok('PATCH', `/api/sessions/${other.id}`, { folder: `folder ${round}` });
    longestMs = Math.max(longestMs, performance.now() - begun);
  };
  const read = async () => {
    for (const { id, messageCount } of await listSessions(scene.parley))
      expect([id, id === other.id || messageCount === MESSAGES]).toEqual([id, true]);
  };
  const begun = performance.now();
  const working = work().finally(() => {
    isOver = true;
  });
  const timed = working.then(() => performance.now() - begun);
  const [result, wholeMs] = await Promise.all([working, timed, repeatedly(write), repeatedly(read)]);
  expect(longestMs).toBeLessThan(wholeMs / 2);
  return result;
}
