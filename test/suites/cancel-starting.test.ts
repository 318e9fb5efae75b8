import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, text } from '../harness/scripted-script.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ config: { limits: { runningTurns: 1 } } });
});
afterAll(() => server.close());

test('a session is stopped while the start of its turn waits to be written', async () => {
  const held = gate();
  server.provider.script(({ said }) => ({
    steps:
      said === 'First' ? [...text('Yes'), { kind: 'gate', until: held.until }] : [...text('Yes'), { kind: 'stall' }],
  }));
  const [first, second] = [await server.open(), await server.open()];
  await server.send(first, 'First');
  await server.speaking(first, 'Yes');
  const { turn } = await server.send(second, 'Second');
  expect(turn.state).toBe('queued');

  // The end of the first turn waits for the disk, and the reads of the request to stop wait behind it: they are answered
  // between that end, which lets the second turn start, and the writing of that start.
  const database = new DatabaseSync(path.join(server.parley.home, 'parley.db'));
  database.exec('BEGIN IMMEDIATE');
  held.open();
  await pause(300);
  const reads = Array.from({ length: 10 }, () => server.session(first));
  await pause(100);
  const stopped = server.call('cancelSession', { params: { sessionId: second } });
  await pause(100);
  database.exec('ROLLBACK');
  database.close();

  await Promise.all(reads);
  expect(await stopped).toEqual({ cancelled: [turn.id] });
  expect((await server.turn(turn.id)).state).toBe('cancelled');
});
