import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../harness/parley.ts';
import { Bench, type ProgramUnderTest } from './bench.ts';

/** What no real program should do: it costs the turn, and nothing else. */
export function describeMisbehaviour(name: string, open: () => Promise<ProgramUnderTest>): void {
  describe(`${name} that misbehaves`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await Bench.open(await open());
    });
    afterAll(() => bench?.close());

    /** Programs of other sessions may be kept. */
    async function noMoreThan(before: number): Promise<void> {
      await until(
        async () => bench.programs().length,
        (left) => left <= before,
      );
    }

    it.each([
      ['dies in the middle of its answer', 'DIE', /ended in the middle of its work/],
      ['writes a line without an end', 'FLOOD', /A line of output is longer than 32000000 bytes\. It floods\./],
      ['cannot reach its provider', 'FAIL', /overloaded|Connection error/],
    ])('fails its turn with words for the person when it %s', async (_, word, words) => {
      const id = await bench.session();
      const before = bench.programs().length;
      const { turn, answer } = await bench.say(id, word);
      expect(turn).toMatchObject({ state: 'failed', error: { code: 'program_failed' } });
      expect(turn.error!.message).toMatch(words);
      expect([answer!.text, answer!.status]).toEqual(['Hello.', 'interrupted']);
      await noMoreThan(before);
      expect((await bench.say(id, 'Good morning.')).text).toBe('Hello from the model.');
    });

    it.each([
      ['hangs', 'HANG'],
      ['ignores SIGTERM', 'DEAF'],
      ['has started a process that left its group', 'FORK'],
    ])('is gone with all that it started when it is cancelled and %s', async (_, word) => {
      const id = await bench.session();
      const before = bench.programs().length;
      const turn = await bench.send(id, word);
      await bench.spoken(id);
      await bench.parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
      expect((await bench.settled(turn.id)).turn.state).toBe('cancelled');
      await noMoreThan(before);
    });

    it('is not heard any more once its turn is over', async () => {
      const id = await bench.session();
      const { turn, text } = await bench.say(id, 'LATE');
      expect([turn.state, text]).toEqual(['complete', 'Hello.']);
      expect((await bench.say(id, 'Good morning.')).text).toBe('Hello from the model.');
    });

    it('goes on with an open approval after the server was killed', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'RUN touch survived.txt');
      const action = await bench.action(id);
      await bench.parley.kill();
      await bench.parley.restart();
      expect(await bench.action(id)).toEqual(action);
      await bench.answerAll(id, turn.id, { decision: 'once' });
      expect((await bench.settled(turn.id)).turn.state).toBe('complete');
    });
  });
}
