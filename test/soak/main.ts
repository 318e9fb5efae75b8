// `npm run soak -- --minutes 30 --seed 7`: every passage of every transaction in the scene that does a little of
// everything; then random kills under load, each followed by the checker, until the time is up.
import { parseArgs } from 'node:util';
import { DelegationScene } from '../faults/delegation-scene.ts';
import { doEverything } from '../faults/everything.ts';
import { Scene } from '../faults/scene.ts';
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

/** Kills at the first, second, third … transaction until the scene lives to its end. At most half of the time. */
async function everyPassage(): Promise<void> {
  const half = Date.now() + (deadline - Date.now()) / 2;
  for (const point of ['write.before-commit', 'write.committed']) {
    for (let passage = 1; Date.now() < half; passage++) if (!(await diedAndHeld(`${point}:${passage}`))) break;
  }
}

async function diedAndHeld(point: string): Promise<boolean> {
  const scene = await Scene.open({ env: { PARLEY_FAULT: point } }).catch(() => null);
  // The first transactions belong to the start itself; there is nothing to lose yet.
  if (!scene) return true;
  try {
    const end = await doEverything(scene);
    if (end === 'died') {
      await scene.parley.waitForExit();
      await scene.parley.restart({});
    }
    await checkPromises(scene.parley, scene.ledger);
    console.log(`${point}: ${end}, all held`);
    return end === 'died';
  } finally {
    await scene.close();
  }
}

/** In turn: people who do not stop talking, and agents who give work to each other. */
async function randomKills(random: () => number): Promise<void> {
  while (Date.now() < deadline) {
    await inRounds(() => Scene.open({ delayMs: 1 + random() * 8 }), killRound, 10, random);
    await inRounds(() => DelegationScene.open(), killActing, 5, random);
  }
}

async function inRounds<S extends { close(): Promise<void> }>(
  open: () => Promise<S>,
  kill: (scene: S, round: KillRound, random: () => number) => Promise<void>,
  most: number,
  random: () => number,
): Promise<void> {
  const scene = await open();
  try {
    for (let round = 0; round < 8 && Date.now() < deadline; round++) {
      const afterMs = 50 + random() * 3000;
      await kill(scene, { afterMs, sessions: 2 + Math.floor(random() * most) }, random);
      console.log(`${kill.name} after ${Math.round(afterMs)} ms: all held`);
    }
  } finally {
    await scene.close();
  }
}
