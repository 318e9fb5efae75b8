import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './cast.ts';
import { ASKING, CREATE, type DelegatingCast, startDelegating } from './delegating.ts';
import type { Stage } from './stage.ts';

describe('delegating where one turn may run at a time', () => {
  let stage: Stage;
  let cast: DelegatingCast;
  beforeAll(async () => {
    ({ stage, cast } = await startDelegating({
      agents: [
        { agentId: 'ada', ...ASKING },
        { agentId: 'bob', ...ASKING },
        { agentId: 'eve', ...ASKING, delegation: { tags: true } },
        'finn',
      ],
      config: { limits: { runningTurns: 1 } },
    }));
  });
  beforeEach(() => cast.clear());
  afterAll(() => stage.close());

  it('a chain of those who wait for each other comes to its end', async () => {
    cast.plays('ada', [ask('eve', 'one', CREATE)], 'From eve.');
    cast.plays('eve', [ask('bob', 'two', CREATE)], 'From bob.');
    const { turn, answer } = await stage.say(await stage.open('ada'), 'Go.');
    expect([turn.state, answer?.text]).toEqual(['complete', 'From eve.']);
  });

  it('several delegates at once take their turns one after the other', async () => {
    cast.plays('ada', [ask('bob', 'one', CREATE), ask('eve', 'two!', CREATE), ask('finn', 'three', CREATE)], 'All.');
    const { turn, answer } = await stage.say(await stage.open('ada'), 'Go.');
    expect([turn.state, answer?.text]).toEqual(['complete', 'All.']);
  });

  it('one that was handed work by a tag can ask somebody in another session', async () => {
    cast.plays('eve', 'Bob shall. <delegate to="bob">find out</delegate>', 'So it is.');
    cast.plays('bob', [ask('finn', 'tell me', CREATE)], 'Finn says so.');
    const id = await stage.open('eve');
    const { turn } = await stage.say(id, 'Go.');
    expect(turn.state).toBe('complete');
    expect((await stage.transcript(id)).at(-1)).toBe('eve: So it is.');
  });

  it('and afterwards there is exactly as much room as before', async () => {
    const answers = await Promise.all(
      ['x', 'y', 'z'].map(async (content) => (await stage.say(await stage.open('finn'), content)).turn.state),
    );
    expect(answers).toEqual(['complete', 'complete', 'complete']);
  });
});
