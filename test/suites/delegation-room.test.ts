import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ASKING, CREATE, type DelegatingAgents, startDelegating } from './delegating.ts';
import { ask } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

describe('delegating where one turn may run at a time', () => {
  let server: TestServer;
  let scripted: DelegatingAgents;
  beforeAll(async () => {
    ({ server, scripted } = await startDelegating({
      agents: [
        { agentId: 'ada', ...ASKING },
        { agentId: 'bob', ...ASKING },
        { agentId: 'eve', ...ASKING, delegation: { tags: true } },
        'finn',
      ],
      config: { limits: { runningTurns: 1 } },
    }));
  });
  beforeEach(() => scripted.clear());
  afterAll(() => server.close());

  it('a chain of those who wait for each other comes to its end', async () => {
    scripted.answers('ada', [ask('eve', 'one', CREATE)], 'From eve.');
    scripted.answers('eve', [ask('bob', 'two', CREATE)], 'From bob.');
    const { turn, answer } = await server.say(await server.open('ada'), 'Go.');
    expect([turn.state, answer?.text]).toEqual(['complete', 'From eve.']);
  });

  it('several delegates at once take their turns one after the other', async () => {
    scripted.answers(
      'ada',
      [ask('bob', 'one', CREATE), ask('eve', 'two!', CREATE), ask('finn', 'three', CREATE)],
      'All.',
    );
    const { turn, answer } = await server.say(await server.open('ada'), 'Go.');
    expect([turn.state, answer?.text]).toEqual(['complete', 'All.']);
  });

  it('one that was handed work by a tag can ask somebody in another session', async () => {
    scripted.answers('eve', 'Bob shall. <delegate to="bob">find out</delegate>', 'So it is.');
    scripted.answers('bob', [ask('finn', 'tell me', CREATE)], 'Finn says so.');
    const id = await server.open('eve');
    const { turn } = await server.say(id, 'Go.');
    expect(turn.state).toBe('complete');
    expect((await server.transcript(id)).at(-1)).toBe('eve: So it is.');
  });

  it('and afterwards there is exactly as much room as before', async () => {
    const answers = await Promise.all(
      ['x', 'y', 'z'].map(async (content) => (await server.say(await server.open('finn'), content)).turn.state),
    );
    expect(answers).toEqual(['complete', 'complete', 'complete']);
  });
});
