import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageList } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { listSessions } from '../harness/readback.ts';
import { Fixture, isDeath } from './fixture.ts';

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
  let fixture: Fixture;
  let long: Session;
  beforeAll(async () => {
    fixture = await Fixture.open();
    long = await importFile();
  }, 60_000);
  afterAll(() => fixture.close());

  const importFile = () => fixture.parley.ok<Session>('POST', '/api/imports', FILE);
  const fork = () => fixture.parley.ok<Session>('POST', `/api/sessions/${long.id}/forks`, {});
  const ids = async () => (await listSessions(fixture.parley)).map(({ id }) => id).sort();

  it('others read and write while one is imported, forked and deleted, and see it whole or not at all', async () => {
    const other = await fixture.session();
    const imported = await whileOthersWrite(fixture, other, importFile);
    expect(imported).toMatchObject({ messageCount: MESSAGES, status: 'active' });
    const copy = await whileOthersWrite(fixture, other, fork);
    expect(copy).toMatchObject({ messageCount: MESSAGES, forkedFrom: { sessionId: long.id }, status: 'active' });
    const texts = async ({ id }: Session) =>
      (await fixture.parley.messages(id)).map(({ text, seq, role }) => [seq, role, text]);
    expect(await texts(copy)).toEqual(await texts(long));
    await whileOthersWrite(fixture, other, () => fixture.parley.ok('DELETE', `/api/sessions/${copy.id}`));
    expect((await fixture.parley.request('GET', `/api/sessions/${copy.id}`)).status).toBe(404);
    expect(checkDatabase(fixture.parley.home)).toEqual([]);
  });

  it('P14: a kill in the middle of an import or a fork leaves nothing of it', async () => {
    const before = await ids();
    for (const copy of [importFile, fork]) {
      await fixture.parley.restart({ PARLEY_FAULT: 'detached.written:3' });
      expect(await copy().catch(isDeath)).toBe(true);
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      expect(await ids()).toEqual(before);
      expect(checkDatabase(fixture.parley.home)).toEqual([]);
    }
  });

  it('one is edited near its beginning, shown as before again, and cleared', async () => {
    const copy = await fork();
    const newest = (await fixture.parley.messages(copy.id)).at(-1)!;
    const page = await fixture.parley.ok<MessageList>('GET', `/api/sessions/${copy.id}/messages?after=1&limit=3`);
    const early = page.messages.find(({ role }) => role === 'user')!;
    await fixture.parley.ok('POST', `/api/messages/${early.id}/revisions?wait=20`, { content: 'Instead' });
    expect((await fixture.parley.session(copy.id)).messageCount).toBe(early.seq! + 1);
    await fixture.parley.ok('PUT', `/api/sessions/${copy.id}/head`, { messageId: newest.id });
    expect(await fixture.parley.session(copy.id)).toMatchObject({ messageCount: MESSAGES, headId: newest.id });
    await fixture.parley.ok('POST', `/api/messages/${early.id}/revisions?wait=20`, { content: 'Once more' });
    await fixture.parley.ok('DELETE', `/api/sessions/${copy.id}/messages`);
    expect(await fixture.parley.session(copy.id)).toMatchObject({ messageCount: 0, headId: null });
    expect(checkDatabase(fixture.parley.home)).toEqual([]);
    await fixture.parley.ok('DELETE', `/api/sessions/${copy.id}`);
  });

  it('P10, P14: a kill in the middle of a deletion leaves nothing, in lists, streams, search or the file', async () => {
    const before = await ids();
    const copy = await fork();
    await fixture.parley.restart({ PARLEY_FAULT: 'detached.removed:2' });
    expect(await fixture.parley.ok('DELETE', `/api/sessions/${copy.id}`).catch(isDeath)).toBe(true);
    await fixture.parley.waitForExit();
    await fixture.parley.restart({});
    expect(await ids()).toEqual(before);
    expect(checkDatabase(fixture.parley.home)).toEqual([]);
    const again = await fixture.session('wisp/one', { id: copy.id });
    expect(await fixture.parley.messages(again.id)).toEqual([]);
  });
});

/**
 * Others change a session again and again, and each of them waits only for a part of the work; every list shows what is
 * being made or deleted whole or not at all.
 */
async function whileOthersWrite<T>(fixture: Fixture, other: Session, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const repeatedly = async (doOnce: (round: number) => Promise<void>) => {
    for (let round = 0; !isOver; round += 1) await doOnce(round);
  };
  let longestMs = 0;
  const write = async (round: number) => {
    const begun = performance.now();
    await fixture.parley.ok('PATCH', `/api/sessions/${other.id}`, { folder: `folder ${round}` });
    longestMs = Math.max(longestMs, performance.now() - begun);
  };
  const read = async () => {
    for (const { id, messageCount } of await listSessions(fixture.parley))
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
