import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, text } from '../harness/scripted-script.ts';
import { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start({ config: { limits: { runningTurns: 1 } } });
});
afterAll(() => stage.close());

test('a session is stopped while the start of its turn waits to be written', async () => {
  const held = gate();
  stage.provider.script(({ said }) => ({
    steps:
      said === 'First' ? [...text('Yes'), { kind: 'gate', until: held.until }] : [...text('Yes'), { kind: 'stall' }],
  }));
  const [first, second] = [await stage.open(), await stage.open()];
  await stage.send(first, 'First');
  await stage.speaking(first, 'Yes');
  const { turn } = await stage.send(second, 'Second');
  expect(turn.state).toBe('queued');

  // The end of the first turn waits for the disk, and the reads of the request to stop wait behind it: they are answered
  // between that end, which lets the second turn start, and the writing of that start.
  const database = new DatabaseSync(path.join(stage.parley.home, 'parley.db'));
  database.exec('BEGIN IMMEDIATE');
  held.open();
  await pause(300);
  const reads = Array.from({ length: 10 }, () => stage.session(first));
  await pause(100);
  const stopped = stage.call('cancelSession', { params: { sessionId: second } });
  await pause(100);
  database.exec('ROLLBACK');
  database.close();

  await Promise.all(reads);
  expect(await stopped).toEqual({ cancelled: [turn.id] });
  expect((await stage.turn(turn.id)).state).toBe('cancelled');
});
