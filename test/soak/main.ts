// `npm run soak -- --minutes 30 --seed 7`: every passage of every transaction in the fixture that does a little of
// everything; then random kills under load, each followed by the checker, until the time is up.
import { parseArgs } from 'node:util';
import { DelegationFixture } from '../faults/delegation-fixture.ts';
import { doEverything } from '../faults/everything.ts';
import { Fixture } from '../faults/fixture.ts';
import { checkPromises } from '../harness/checker.ts';
import { killActing } from '../harness/kill-acting.ts';
import { type KillRound, killRound, seededRandom } from '../harness/kill-loop.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
const deadline = Date.now() + Number(values.minutes) * 60_000;
console.log(`soak: ${values.minutes} minutes, seed ${values.seed}`);
await everyPassage();
await randomKills(seededRandom(Number(values.seed)));
console.log('soak: every promise held');

/** Kills at the first, second, third … transaction until the server lives to its end. At most half of the time. */
async function everyPassage(): Promise<void> {
  const half = Date.now() + (deadline - Date.now()) / 2;
  for (const point of ['write.before-commit', 'write.committed']) {
    for (let passage = 1; Date.now() < half; passage++) if (!(await diedAndHeld(`${point}:${passage}`))) break;
  }
}

async function diedAndHeld(point: string): Promise<boolean> {
  const fixture = await Fixture.open({ env: { PARLEY_FAULT: point } }).catch(() => null);
  // The first transactions belong to the start itself; there is nothing to lose yet.
  if (!fixture) return true;
  try {
    const end = await doEverything(fixture);
    if (end === 'died') {
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
    }
    await checkPromises(fixture.parley, fixture.ledger);
    console.log(`${point}: ${end}, all held`);
    return end === 'died';
  } finally {
    await fixture.close();
  }
}

/** In turn: people who do not stop talking, and agents who give work to each other. */
async function randomKills(random: () => number): Promise<void> {
  while (Date.now() < deadline) {
    await inRounds(() => Fixture.open({ delayMs: 1 + random() * 8 }), killRound, 10, random);
    await inRounds(() => DelegationFixture.open(), killActing, 5, random);
  }
}

async function inRounds<S extends { close(): Promise<void> }>(
  open: () => Promise<S>,
  kill: (fixture: S, round: KillRound, random: () => number) => Promise<void>,
  most: number,
  random: () => number,
): Promise<void> {
  const fixture = await open();
  try {
    for (let round = 0; round < 8 && Date.now() < deadline; round++) {
      const afterMs = 50 + random() * 3000;
      await kill(fixture, { afterMs, sessions: 2 + Math.floor(random() * most) }, random);
      console.log(`${kill.name} after ${Math.round(afterMs)} ms: all held`);
    }
  } finally {
    await fixture.close();
  }
}
