import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { TestServer } from '../suites/test-server.ts';

const REFUSE_ANSWERS = `CREATE TRIGGER refuse_answers BEFORE INSERT ON messages WHEN NEW.role = 'assistant'
  BEGIN SELECT RAISE(ABORT, 'no answers today'); END`;

it('P4: a turn whose ending cannot be stored for another reason than storage ends as failed, and the session goes on', async () => {
  const server = await TestServer.start({ agents: ['ada'] });
  const database = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { timeout: 5000 });
  try {
    server.provider.script(() => ({ steps: text('An answer.') }));
    const sessionId = await server.open('ada');
    database.exec(REFUSE_ANSWERS);
    const { turn } = await server.send(sessionId, 'Hello');
    const ended = await until(
      () => server.turn(turn.id),
      ({ endedAt }) => endedAt !== null,
      15_000,
    );
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'turn_not_settled' } });
    expect((await server.session(sessionId)).status).not.toBe('working');
    database.exec('DROP TRIGGER refuse_answers');
    const next = await server.say(sessionId, 'And now?');
    expect([next.turn.state, next.answer?.text]).toEqual(['complete', 'An answer.']);
  } finally {
    database.close();
    await server.close();
  }
});
