import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framesUntil } from '../../suites/test-server.ts';
import { Bench } from './bench.ts';
import { describeExec } from './exec-flows.ts';
import { openScripted } from './scripted/open.ts';

const open = () => openScripted('codex-exec');

describeExec('a scripted Codex without app-server', open);

describe('a scripted Codex without app-server', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.open(await open());
  });
  afterAll(() => bench?.close());

  it('shows what it intends to do, and what it used', async () => {
    const id = await bench.session();
    const events = bench.parley.events(`/api/sessions/${id}/events?after=0`);
    await events.next();
    const turn = await bench.send(id, 'PLAN Look, Leap');
    const told = await framesUntil(events, ({ type, data }) => type === 'turn.settled' && data.turn.id === turn.id);
    expect(told.filter(({ type }) => type === 'turn.progress').map(({ data }) => data.plan)).toEqual([
      [
        { text: 'Look', state: 'complete' },
        { text: 'Leap', state: 'pending' },
      ],
    ]);
    expect((await bench.settled(turn.id)).turn.usage).toMatchObject({ inputTokens: 10, outputTokens: 7 });
  });

  it.each([
    ['its provider refuses it', 'FAIL', /401 Unauthorized/],
    ['it dies', 'DIE', /ended in the middle of its work/],
  ])('fails with words for the person when %s, and keeps what it said', async (_, word, words) => {
    const { turn, answer } = await bench.say(await bench.session(), word);
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'program_failed' } });
    expect(turn.error!.message).toMatch(words);
    expect([answer!.text, answer!.status]).toEqual(['Hello.', 'interrupted']);
  });
});
