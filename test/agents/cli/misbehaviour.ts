import { existsSync, readFileSync, rmSync } from 'node:fs';
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

    /** The process that a program has started and that left its group. */
    async function forked(): Promise<number> {
      const read = () => (existsSync(bench.file('forked')) ? readFileSync(bench.file('forked'), 'utf8') : '');
      return Number(
        await until(
          async () => read(),
          (pid) => pid.endsWith('\n'),
        ),
      );
    }

    it('is gone with what it started when it is cancelled and has started a process that left its group', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'FORK');
      const pid = await forked();
      expect(isAlive(pid)).toBe(true);
      await bench.parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
      expect((await bench.settled(turn.id)).turn.state).toBe('cancelled');
      await until(
        async () => isAlive(pid),
        (alive) => !alive,
      );
      rmSync(bench.file('forked'));
    });

    it('is gone with what it started at the next start when the server was killed', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'FORK');
      await bench.spoken(id);
      const pid = await forked();
      // What was said is on disk a quarter of a second later.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await bench.parley.kill();
      expect(isAlive(pid)).toBe(true);
      await bench.parley.restart();
      await until(
        async () => isAlive(pid),
        (alive) => !alive,
      );
      const { turn: ended, answer } = await bench.settled(turn.id);
      expect([ended.state, answer!.text, bench.programs()]).toEqual(['interrupted', 'Hello.', []]);
    });

    it.each([
      ['hangs', 'HANG'],
      ['ignores SIGTERM', 'DEAF'],
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A process that nothing has waited for is dead all the same.
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return !/\) [ZX] /.test(stat);
}
