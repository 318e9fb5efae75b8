// `npm run soak -- --minutes 30 --seed 7`: random kills under load, each followed by the checker, until the time is up;
// then every passage of every transaction in the scene that does a little of everything.
import { parseArgs } from 'node:util';
import { doEverything } from '../faults/everything.ts';
import { Scene } from '../faults/scene.ts';
import { checkPromises } from '../harness/checker.ts';
import { killRound, seededRandom } from '../harness/kill-loop.ts';

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

async function randomKills(random: () => number): Promise<void> {
  while (Date.now() < deadline) {
    const scene = await Scene.open({ delayMs: 1 + random() * 8 });
    try {
      for (let round = 0; round < 8 && Date.now() < deadline; round++) {
        const afterMs = 50 + random() * 3000;
        await killRound(scene, { afterMs, sessions: 2 + Math.floor(random() * 10) }, random);
        console.log(`killed after ${Math.round(afterMs)} ms under load: all held`);
      }
    } finally {
      await scene.close();
    }
  }
}
