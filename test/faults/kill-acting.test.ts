import { describe, it } from 'vitest';
import { killActing } from '../harness/kill-acting.ts';
import { seededRandom } from '../harness/kill-loop.ts';
import { DelegationFixture } from './delegation-fixture.ts';

describe('kill -9 at a random moment while agents act', { timeout: 60_000 }, () => {
  it('P1-P11: nothing is lost, done twice or left open, round after round on the same data', async () => {
    const random = seededRandom(20_260_102);
    const fixture = await DelegationFixture.open();
    try {
      for (let round = 0; round < 2; round++)
        await killActing(fixture, { afterMs: 200 + random() * 1200, sessions: 3 }, random);
    } finally {
      await fixture.close();
    }
  });
});
