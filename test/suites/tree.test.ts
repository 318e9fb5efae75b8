import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TurnNode } from '../../contract/delegation.ts';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { ASKING, CREATE, type DelegatingAgents, held, startDelegating } from './delegating.ts';
import { ask, call, type ScriptedAnswer } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating({
    agents: ['ada', 'bob', 'eve', 'finn'],
    agent: { ...ASKING, delegation: { tags: true } },
  }));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

function tree(turnId: string) {
  return server.call('turnTree', { params: { turnId } });
}

/** `agent state` of everybody, indented by depth. */
function outline({ turn, children }: TurnNode, depth = 0): string[] {
  return [
    `${'  '.repeat(depth)}${turn.agentId} ${turn.state}`,
    ...children.flatMap((child) => outline(child, depth + 1)),
  ];
}

describe('the tree of what is done for one request', () => {
  it('shows who asked whom, live, and is the same from every turn in it', async () => {
    const [bob, finn] = [gate(), gate()];
    scripted.answers('ada', [ask('bob', 'one', CREATE), ask('eve', 'two!', CREATE)], 'All.');
    scripted.answers('bob', held(bob));
    scripted.answers('eve', `Finn. <delegate to="finn">three</delegate>`, 'Finn did.');
    scripted.answers('finn', held(finn));
    const id = await server.open('ada');
    const { turn } = await server.send(id, 'Go.');
    const { root } = await until(
      () => tree(turn.id),
      (found) => outline(found.root).filter((line) => line.includes('running')).length === 4,
    );
    const [asksBob, asksEve] = root.children;
    expect(outline(root)).toEqual(['ada running', '  bob running', '  eve running', '    finn running']);
    expect(root).toMatchObject({ via: null, mode: null, task: 'Go.', sessionTitle: 'Go.' });
    expect(asksBob).toMatchObject({ via: 'tool', mode: 'sync', task: 'one', sessionTitle: 'one', children: [] });
    expect(asksEve!.children[0]).toMatchObject({ via: 'tag', mode: 'sync', task: 'three', sessionTitle: 'two!' });
    expect(root.toolCalls).toMatchObject([
      { name: 'agents_message', state: 'running', durationMs: null },
      { name: 'agents_message', state: 'running', durationMs: null },
    ]);
    const leaf = asksEve!.children[0]!.turn.id;
    const fromLeaf = await tree(leaf);
    expect(fromLeaf.asked).toBe(leaf);
    expect(outline(fromLeaf.root)).toEqual(outline((await tree(turn.id)).root));
    // One child is stopped; everybody else goes on.
    expect((await server.cancelTurn(asksBob!.turn.id)).cancelled).toEqual([asksBob!.turn.id]);
    // One is spoken to while it works.
    await server.speaking(asksEve!.turn.sessionId, 'So far');
    const steered = await server.send(asksEve!.turn.sessionId, { content: 'And hurry.', busy: 'steer' });
    finn.open();
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect((await server.turn(steered.turn.id)).steeredInto).toBe(leaf);
    expect(outline((await tree(turn.id)).root)).toEqual([
      'ada complete',
      '  bob cancelled',
      '  eve complete',
      '    finn complete',
    ]);
  });

  it('adds up what it used, its own and its children’s', async () => {
    const used = (input: number, output: number, steps: ScriptedAnswer): ScriptedAnswer => ({
      steps: typeof steps === 'string' ? text(steps) : (steps as ReturnType<typeof text>),
      usage: { input, output },
    });
    scripted.answers('ada', used(100, 10, [ask('bob', 'one', CREATE)]), used(200, 20, 'Done.'));
    scripted.answers('bob', used(1000, 1, [ask('eve', 'two', CREATE)]), used(2000, 2, 'Yes.'));
    scripted.answers('eve', used(10_000, 5, 'Yes.'));
    const { turn } = await server.say(await server.open('ada'), 'Go.');
    const { root } = await tree(turn.id);
    expect(root.turn.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
    expect(root.usage).toMatchObject({ inputTokens: 13_300, outputTokens: 38 });
    expect(root.children[0]!.usage).toMatchObject({ inputTokens: 13_000, outputTokens: 8 });
    expect(root.children[0]!.children[0]!.usage).toMatchObject({ inputTokens: 10_000, outputTokens: 5 });
  });

  it('holds what a late result set off', async () => {
    scripted.answers('ada', [ask('bob', 'later', { ...CREATE, mode: 'async' })], 'I wait.', 'There it is.');
    const { turn } = await server.say(await server.open('ada'), 'Go.');
    const { root } = await until(
      () => tree(turn.id),
      (found) => outline(found.root).length === 3 && outline(found.root).every((line) => line.includes('complete')),
    );
    expect(outline(root)).toEqual(['ada complete', '  bob complete', '  ada complete']);
    expect(root.children[0]).toMatchObject({ via: 'tool', mode: 'async' });
  });

  it('of a turn that asked nobody is that turn', async () => {
    scripted.answers('ada', [call('agents_list', {})], 'Hello.');
    const { turn } = await server.say(await server.open('ada'), 'Hi.');
    const { root, asked } = await tree(turn.id);
    expect([asked, root.turn.id, root.children]).toEqual([turn.id, turn.id, []]);
    expect(root.toolCalls).toMatchObject([{ name: 'agents_list', state: 'complete', durationMs: expect.any(Number) }]);
    await server.refused('turn_not_found', 'turnTree', { params: { turnId: 'no-such-turn' } });
  });

  it('loses a branch with the session that held it, and nothing else', async () => {
    scripted.answers('ada', [ask('bob', 'one', CREATE), ask('eve', 'two!', CREATE)], 'All.');
    const { turn } = await server.say(await server.open('ada'), 'Go.');
    const [bob] = (await tree(turn.id)).root.children;
    await server.call('deleteSession', { params: { sessionId: bob!.turn.sessionId } });
    expect(outline((await tree(turn.id)).root)).toEqual(['ada complete', '  eve complete']);
  });

  it('is still readable from a child when what began it is gone', async () => {
    scripted.answers('ada', [ask('bob', 'one', CREATE)], 'All.');
    const { turn } = await server.say(await server.open('ada'), 'Go.');
    const [bob] = (await tree(turn.id)).root.children;
    // A session in which the person has taken part stays when its caller is deleted.
    await server.say(bob!.turn.sessionId, 'And you?');
    await server.call('deleteSession', { params: { sessionId: turn.sessionId } });
    expect(outline((await tree(bob!.turn.id)).root)).toEqual(['bob complete']);
  });
});
