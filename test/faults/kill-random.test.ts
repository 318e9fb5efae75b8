import { describe, it } from 'vitest';
import { killRound, seededRandom } from '../harness/kill-loop.ts';
import { Fixture } from './fixture.ts';

describe('kill -9 at a random moment under load', { timeout: 60_000 }, () => {
  it('P1-P9, P11, P14 hold, round after round on the same data', async () => {
    const random = seededRandom(20_260_101);
    const fixture = await Fixture.open({ delayMs: 4 });
    try {
      for (let round = 0; round < 4; round++)
        await killRound(fixture, { afterMs: 150 + random() * 900, sessions: 5 }, random);
    } finally {
      await fixture.close();
    }
  });
});
