import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { AcpFixture, acpAgent } from './acp/fixture.ts';

let fixture: AcpFixture;

beforeAll(async () => {
  fixture = await AcpFixture.open((memory) => [acpAgent('pip', memory)], { limits: { idlePrograms: 2 } });
});
afterAll(() => fixture.close());

/** Has the program of a session answer; gives that program, as soon as no more are kept than may be. */
async function ask(sessionId: string, most: number): Promise<string> {
  const before = new Set(fixture.programs());
  expect((await fixture.say(sessionId, 'say Here.')).text).toBe('Here.');
  const now = await until(
    async () => fixture.programs(),
    (programs) => programs.length <= most,
  );
  return now.find((program) => !before.has(program)) ?? '';
}

it('the program that has been idle longest is ended when there are too many, and one that works never is', async () => {
  const sessions = await Promise.all(Array.from({ length: 6 }, () => fixture.open('pip')));
  const [one, two, three, four, five, working] = sessions as [string, string, string, string, string, string];
  const first = await ask(one, 2);
  const second = await ask(two, 2);
  expect(fixture.programs().sort()).toEqual([first, second].sort());
  // Used again, it is not the one that has been idle longest.
  expect(await ask(one, 2)).toBe('');
  const third = await ask(three, 2);
  expect(fixture.programs().sort()).toEqual([first, third].sort());

  const { turn } = await fixture.send(working, 'say Begun.\nhang');
  await fixture.spoken(working);
  const busy = fixture.programs().find((program) => program !== first && program !== third)!;
  const fourth = await ask(four, 3);
  const fifth = await ask(five, 3);
  expect(fixture.programs().sort()).toEqual([busy, fourth, fifth].sort());
  expect((await fixture.parley.turn(turn.id)).state).toBe('running');
  await fixture.cancel(turn.id);
  expect((await fixture.settled(turn.id)).answer!.text).toBe('Begun.');
});
