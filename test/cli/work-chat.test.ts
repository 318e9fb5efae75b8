import { beforeEach, describe, expect, test } from 'vitest';
import type { Turn } from '../../contract/turns.ts';
import { AT, aCall, aDelegation, aMessage, anAction, aTurn } from '../harness/shapes.ts';
import { approval, asking, playing } from './fake-engine.ts';
import { FakeServer } from './fake-server.ts';
import { collect, ended, launch, until } from './parley.ts';

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.start();
});

const ASK = ['chat', '-a', 'a', '-m', 'hi'];

describe('chat with agents that do things', () => {
  test('shows every call as one line, delegates under their own names, and each answer in order', async () => {
    playing(server, (engine) => {
      engine.queue('t1', 't3');
      engine.start('t1');
      engine.say('t1', 'a', 'Let me see.');
      server.append({ type: 'tool.started', call: aCall({ part: 1 }) });
      server.append({ type: 'tool.ended', call: aCall({ part: 1, state: 'complete', endedAt: AT }) });
      const said = aMessage({ id: 'm2', turnId: 't1', role: 'assistant', agent: 'a', text: 'Let me see.' });
      server.append({ type: 'message.created', message: said });
      server.append({ type: 'delegation.started', delegation: aDelegation() });
      const nested = aTurn({ id: 't2', agentId: 'b', messageId: 'm9', parentTurnId: 't1', state: 'running' });
      const task = aMessage({ id: 'm9', turnId: 't2', role: 'delegation', agent: 'b', text: 'look it up' });
      server.append({ type: 'turn.started', turn: nested, status: 'working', message: task });
      engine.say('t2', 'b', 'Found.');
      const done: Turn = { ...nested, state: 'complete', endedAt: AT };
      server.append({ type: 'turn.settled', turn: done, status: 'working', message: null });
      engine.say('t1', 'a', 'So it is.');
      engine.settle('t1');
      engine.answer('t3', 'c', 'I agree.');
    });
    const { code, stdout, stderr } = await server.parley(['chat', '-a', 'a', '-m', '@a @c hi']);
    expect(stdout).toBe(
      [
        'a: Let me see.',
        '⚙ lists_add text=milk ✓ 0 ms',
        '→ Delegating to b — look it up',
        'b: Found.',
        'a: So it is.',
        'c: I agree.',
        '',
      ].join('\n'),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('names nobody when the message mentions somebody, so that they answer', async () => {
    playing(server, (engine) => engine.answer('t1', 'b', 'Here.'));
    await server.parley(['chat', '-a', 'b', '-m', '@b hi']);
    await server.parley(['chat', '-a', 'a', '-m', 'mail me at x@y.z or @b']);
    const [mentioned, plain] = server.asked('sendMessage');
    expect(mentioned?.body.agent).toBeUndefined();
    expect(server.asked('patchSession')[0]?.body).toEqual({ agentId: 'b' });
    expect(plain?.body.agent).toBe('a');
  });

  test('of several answers one that fails is named, with how to repeat it', async () => {
    playing(server, (engine) => {
      engine.queue('t1', 't2');
      engine.answer('t1', 'a', 'Yes.');
      const error = { code: 'x', message: 'It broke.', retryable: true };
      engine.settle('t2', { agentId: 'b', state: 'failed', error });
    });
    const { code, stderr } = await server.parley(ASK);
    expect(stderr).toBe('Error: b: It broke.\nYour message is kept; to retry: parley retry -s default\n');
    expect(code).toBe(1);
  });

  test('without anybody to ask it says what is wanted and how to answer, and waits', async () => {
    playing(server, async (engine) => {
      engine.start('t1');
      expect(await asking(server, approval)).toEqual({ decision: 'once' });
      engine.say('t1', 'a', 'Done.');
      engine.settle('t1');
    });
    const child = launch('/nonexistent/parley', [...ASK, '--home', '/tmp/a b'], { env: server.env });
    const stderr = collect(child.stderr);
    const done = ended(child);
    await until(() => stderr.text.includes('parley deny'), 'what is wanted');
    expect(stderr.text).toBe(
      [
        'a wants to use bash',
        '  bash (execute, built-in bash)',
        '  command: ls',
        'Answer it with:',
        "  parley approve 9f3c21ab --home '/tmp/a b'   # once; or with --session or --always",
        `  parley deny 9f3c21ab --home '/tmp/a b' --reason "…"   # with a reason for the agent`,
        '',
      ].join('\n'),
    );
    server.answers.listActions = () => ({ actions: [approval] });
    server.answers.getToolCall = () => aCall();
    await server.output('approve', '9f3c21ab');
    expect(await done).toMatchObject({ code: 0, stdout: 'a: Done.\n' });
  });

  test('with --no-wait it leaves instead, with a code of its own', async () => {
    playing(server, (engine) => {
      engine.start('t1');
      void asking(server, approval);
    });
    const { code, stderr } = await server.parley([...ASK, '--no-wait']);
    expect(stderr).toContain('Error: The turn is waiting for you. It continues when you answer.');
    expect(code).toBe(3);
  });

  test('a delegate in another session asks, too, as long as it works for this turn', async () => {
    const elsewhere = anAction({ ...approval, sessionId: 's2', turnId: 't2', agentId: 'b' });
    const chain = [
      { agentId: 'a', turnId: 't1', sessionId: 's' },
      { agentId: 'b', turnId: 't2', sessionId: 's2' },
    ];
    playing(server, async (engine) => {
      engine.start('t1');
      const sent = { sessionId: 's2', via: 'tool' as const, mode: 'async' as const };
      server.append({ type: 'delegation.started', delegation: aDelegation(sent) });
      await until(() => server.asked('events').length > 0, 'somebody to listen');
      server.append({
        type: 'action.opened',
        sessionId: 's2',
        action: anAction({ id: 'strange', title: 'not ours', turnId: 't8', chain: [] }),
      });
      server.append({ type: 'action.opened', sessionId: 's2', action: { ...elsewhere, chain } });
      engine.say('t1', 'a', 'Done.');
      engine.settle('t1');
    });
    const { stdout, stderr, code } = await server.parley(ASK);
    expect(stdout).toBe('→ Delegating to b — look it up\na: Done.\n');
    expect(stderr).toContain('  on behalf of a → b\n');
    expect(stderr).toContain('b is still working; the result will be delivered to this session.');
    expect(stderr).not.toContain('not ours');
    expect(code).toBe(0);
    expect(server.asked('events')[0]?.query).toEqual({ after: '2', deltas: 'false' });
  });

  test('--json prints every event of the family and nothing of others', async () => {
    playing(server, (engine) => {
      engine.queue('t1');
      server.append({ type: 'tool.started', call: aCall({ turnId: 'other' }) });
      engine.start('t1');
      server.append({ type: 'tool.started', call: aCall() });
      engine.settle('t1');
    });
    const { stdout } = await server.parley([...ASK, '--json']);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(['turn.queued', 'turn.started', 'tool.started', 'turn.settled']);
  });
});
