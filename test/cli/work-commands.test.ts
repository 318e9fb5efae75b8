import { beforeEach, describe, expect, test } from 'vitest';
import type { TurnNode } from '../../contract/delegation.ts';
import { AT, aSession, aTurn } from '../harness/shapes.ts';
import { FakeServer, Refusal } from './fake-server.ts';

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.start();
});

describe('tree', () => {
  const node = (id: string, known: Partial<TurnNode>, turn: Parameters<typeof aTurn>[0] = {}): TurnNode => ({
    turn: aTurn({ id, state: 'complete', startedAt: AT, endedAt: '2026-01-01T10:00:03.400Z', ...turn }),
    sessionTitle: 'trip',
    via: null,
    mode: null,
    task: '',
    toolCalls: [],
    usage: null,
    children: [],
    ...known,
  });
  const inner = node(
    't3',
    { via: 'tool', mode: 'sync', task: 'find\nflights', sessionTitle: 'flights' },
    { agentId: 'c', sessionId: 's2' },
  );
  const root = node('t1', {
    usage: { inputTokens: 12_000, outputTokens: 345, cost: 0.0421 },
    toolCalls: [{ id: 'c1', name: 'web_fetch', state: 'complete', durationMs: 12 }],
    children: [
      node('t2', { via: 'tag', mode: 'sync', task: 'plan it', children: [inner] }, { agentId: 'b' }),
      node('t4', { via: 'tag', mode: 'sync' }, { agentId: 'd', state: 'failed' }),
    ],
  });

  beforeEach(() => {
    server.answers.turnTree = () => ({ root, asked: 't3' });
    server.answers.listTurns = () => ({ turns: [aTurn({ id: 't9' })], next: null });
  });

  test('is drawn with who asked whom, turn ids, states, durations, tokens and cost', async () => {
    expect(await server.output('tree')).toBe(
      [
        '✓ a t1 (complete, 3.4 s, 12.3k tokens, cost 0.04, in "trip")',
        '├─ ⚙ web_fetch ✓ 12 ms',
        '├─ ✓ b t2 (complete, 3.4 s, tag sync) — plan it',
        '│  └─ ✓ c t3 (complete, 3.4 s, tool sync, in "flights", this turn) — find flights',
        '└─ ✗ d t4 (failed, 3.4 s, tag sync)',
        '',
      ].join('\n'),
    );
    expect(server.asked('turnTree')[0]?.params).toEqual({ turnId: 't9' });
    expect(JSON.parse(await server.output('tree', '--json')).asked).toBe('t3');
  });

  test('is found by a turn, too, and says when there is neither', async () => {
    server.answers.listSessions = () => ({ sessions: [], next: null, position: 0 });
    server.answers.getSession = () => {
      throw new Refusal('session_not_found', 'There is no such session.');
    };
    await server.output('tree', 't3');
    expect(server.asked('turnTree')[0]?.params).toEqual({ turnId: 't3' });
    server.answers.turnTree = () => {
      throw new Refusal('turn_not_found', 'There is no such turn.');
    };
    expect((await server.parley(['tree', 'nope'])).stderr).toContain('No session or turn has the name or ID "nope"');
  });
});

describe('usage', () => {
  test('adds up what was used, since when one wants', async () => {
    server.answers.usage = () => ({
      total: { turns: 3, inputTokens: 1500, outputTokens: 20, cost: 0.5 },
      rows: [{ key: 'a', turns: 3, inputTokens: 1500, outputTokens: 20, cachedInputTokens: 1000, cost: 0.5 }],
      from: null,
      to: null,
      currency: 'EUR',
    });
    expect(await server.output('usage')).toBe(
      [
        'Agent  Turns  Input  Cached  Output  Cost (EUR)',
        'a      3      1.5k   1k      20      0.50',
        'total  3      1.5k   -       20      0.50',
        '',
      ].join('\n'),
    );
    await server.output('usage', '--by', 'day', '--since', '2026-11-01', '-a', 'a', '-s', 'default');
    const from = '2026-11-01T00:00:00.000Z';
    expect(server.asked('usage').at(-1)?.query).toEqual({ by: 'day', from, agent: 'a', session: 's' });
    const before = Date.now();
    await server.output('usage', '--since', '7d', '--by', 'session');
    const since = Date.parse(server.asked('usage').at(-1)?.query.from as string);
    expect(Math.abs(since - (before - 7 * 86_400_000))).toBeLessThan(60_000);
    expect((await server.parley(['usage', '--since', 'yesterday'])).code).toBe(2);
  });
});

describe('sessions', () => {
  test('of tools and those that wait are told apart', async () => {
    const sessions = [
      aSession({ id: 's1', title: 'Building', type: 'tool-execution', status: 'working', parentSessionId: 's' }),
      aSession({ id: 's2', title: 'trip', status: 'waiting', mode: 'read-only' }),
    ];
    server.answers.listSessions = () => ({ sessions, next: null, position: 0 });
    const { stdout } = await server.parley(['sessions'], { env: { FORCE_COLOR: '1' } });
    expect(stdout).toContain('⚙ Building');
    expect(stdout).toContain('\u001b[33mwaiting');
    await server.output('sessions', 'list', '--type', 'tool-execution');
    expect(server.asked('listSessions').at(-1)?.query).toMatchObject({ type: 'tool-execution' });
    server.answers.listSessions = () => ({ sessions: [sessions[1]], next: null, position: 0 });
    expect(await server.output('sessions', 'show', 'trip')).toContain('waiting · read-only');
    await server.output('sessions', 'mode', 'trip', 'full');
    expect(server.asked('patchSession')[0]?.body).toEqual({ mode: 'full' });
    expect((await server.parley(['sessions', 'mode', 'trip', 'half'])).code).toBe(2);
  });
});
