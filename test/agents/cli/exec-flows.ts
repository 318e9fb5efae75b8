import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../harness/parley.ts';
import { Bench, calls, type ProgramUnderTest } from './bench.ts';

/** What is left of Codex where it has no `app-server`: one program for each prompt, whole messages, a sandbox that decides. */
export function describeExec(name: string, open: () => Promise<ProgramUnderTest>): void {
  describe(`an agent that is ${name}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await Bench.open(await open());
    }, 60_000);
    afterAll(() => bench?.close(), 30_000);

    it('answers, and leaves no program behind', async () => {
      const { turn, text } = await bench.say(await bench.session(), 'Good morning.');
      expect([turn.state, text]).toEqual(['complete', 'Hello from the model.']);
      expect(bench.programs()).toEqual([]);
    });

    it('runs commands in its sandbox, and shows them', async () => {
      const { turn, answer } = await bench.say(await bench.session(), 'DO touch made.txt');
      expect([turn.state, existsSync(bench.file('made.txt'))]).toEqual(['complete', true]);
      expect(calls(answer)).toMatchObject([{ name: 'shell', state: 'complete', via: 'agent' }]);
      expect(calls(answer)[0]!.input).toContain('touch made.txt');
      expect(answer!.text).toMatch(/^Tool said/);
    });

    it('goes on after a restart of the server with what it remembers', async () => {
      const id = await bench.session();
      await bench.say(id, 'My word is heron.');
      await bench.parley.restart();
      const { text, answer } = await bench.say(id, 'RECALL');
      expect(text).toContain('heron');
      expect(answer!.parts.some(({ type }) => type === 'notice')).toBe(false);
    });

    it('is told everything again once it has lost what it remembered, and the person is told that', async () => {
      const id = await bench.session();
      await bench.say(id, 'My word is bittern.');
      bench.program.forget();
      const { text, answer } = await bench.say(id, 'RECALL');
      expect(text).toContain('bittern');
      expect(answer!.parts.filter(({ type }) => type === 'notice')).toHaveLength(1);
    });

    it('answers as a guest, and changes nothing then', async () => {
      const id = await bench.session('ada');
      const { turn, text } = await bench.say(id, 'Good morning.', { guest: 'prog' });
      expect([turn.state, turn.guest, text]).toEqual(['complete', true, 'Hello from the model.']);
      await bench.say(id, 'DO touch guest.txt', { guest: 'prog' });
      expect(existsSync(bench.file('guest.txt'))).toBe(false);
    });

    it('stops when it is cancelled', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'DO touch begun.txt; sleep 60');
      await until(async () => existsSync(bench.file('begun.txt')), Boolean, 30_000);
      await bench.parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
      expect((await bench.settled(turn.id)).turn.state).toBe('cancelled');
      await until(
        async () => bench.programs(),
        (left) => left.length === 0,
      );
    });
  });
}
