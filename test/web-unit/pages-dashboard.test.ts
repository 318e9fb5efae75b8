import { describe, expect, it } from 'vitest';
import type { Agent } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import { firstSteps } from '../../web/pages/dashboard/first-steps.ts';
import { recentSessions } from '../../web/pages/dashboard/needs-you.ts';
import { treeKey, treeRows } from '../../web/pages/dashboard/tree.ts';
import { anAgent } from '../harness/shapes.ts';

describe('the hierarchy on the dashboard', () => {
  const family = [agent('boss'), agent('worker', 'boss'), agent('helped', 'worker'), agent('alone')];

  it('lists everyone under whom they work for, with their place among their siblings', () => {
    const rows = treeRows(family, new Set());
    expect(rows.map(({ agent: { agentId }, level }) => `${level} ${agentId}`)).toEqual([
      '1 boss',
      '2 worker',
      '3 helped',
      '1 alone',
    ]);
    expect(rows[3]).toMatchObject({ position: 2, siblings: 2, hasChildren: false, expanded: false });
  });

  it('leaves out what is folded away', () => {
    const rows = treeRows(family, new Set(['boss']));
    expect(rows.map((row) => row.agent.agentId)).toEqual(['boss', 'alone']);
    expect(rows[0]).toMatchObject({ hasChildren: true, expanded: false });
  });

  it('loses nobody whose parent is not in the list', () => {
    expect(treeRows([agent('orphan', 'nobody')], new Set())).toHaveLength(1);
  });

  it('answers keys as trees do', () => {
    const rows = treeRows(family, new Set());
    expect(treeKey(rows, 'boss', 'ArrowDown')).toEqual({ focus: 'worker' });
    expect(treeKey(rows, 'boss', 'ArrowUp')).toBeNull();
    expect(treeKey(rows, 'boss', 'ArrowRight')).toEqual({ focus: 'worker' });
    expect(treeKey(rows, 'boss', 'ArrowLeft')).toEqual({ toggle: 'boss' });
    expect(treeKey(rows, 'helped', 'ArrowLeft')).toEqual({ focus: 'worker' });
    expect(treeKey(rows, 'boss', 'End')).toEqual({ focus: 'alone' });
    expect(treeKey(rows, 'worker', 'Enter')).toEqual({ open: 'worker' });
    expect(treeKey(rows, 'boss', 'a')).toEqual({ focus: 'alone' });
    expect(treeKey(rows, 'boss', 'Shift')).toBeNull();
  });

  it('opens with the right arrow what was folded', () => {
    expect(treeKey(treeRows(family, new Set(['boss'])), 'boss', 'ArrowRight')).toEqual({ toggle: 'boss' });
  });
});

describe('what a newcomer is offered', () => {
  it('shows a delegation, a guest and an approval with the agents of the demo', () => {
    const agents = [
      agent('root'),
      agent('wisp/concierge'),
      agent('wisp/reviewer', 'wisp/concierge'),
      agent('wisp/scheduler'),
    ];
    expect(firstSteps(agents).map(({ kind, agentId, other }) => [kind, agentId, other?.agentId])).toEqual([
      ['delegate', 'wisp/concierge', 'wisp/reviewer'],
      ['guest', 'wisp/concierge', 'wisp/reviewer'],
      ['approve', 'wisp/scheduler', undefined],
    ]);
  });

  it('offers only what the agents that are there can show', () => {
    const builder = agent('parley/builder');
    expect(firstSteps([agent('one'), builder]).map(({ kind, agentId }) => [kind, agentId])).toEqual([
      ['ask', 'one'],
      ['build', 'parley/builder'],
    ]);
    expect(firstSteps([agent('one')]).map(({ kind }) => kind)).toEqual(['ask']);
    expect(firstSteps([{ ...agent('one'), available: false }])).toEqual([]);
    expect(firstSteps([])).toEqual([]);
  });

  it('are said in English to the demo model, which follows no other language', () => {
    const steps = firstSteps([{ ...agent('one'), provider: 'demo' }, agent('two')]);
    expect(steps.map(({ agentId, isDemo }) => [agentId, isDemo])).toEqual([
      ['one', true],
      ['one', true],
    ]);
    expect(firstSteps([{ ...agent('two'), provider: 'openai' }]).map(({ isDemo }) => isDemo)).toEqual([false]);
  });
});

describe('recent sessions', () => {
  it('come newest first, without what is put away, being deleted or only a test', () => {
    const sessions = [
      session('old', 1),
      session('new', 3),
      { ...session('archived', 5), archivedAt: at(6) },
      session('deleted', 7),
      { ...session('test', 8), attributes: { scratch: true } },
      { ...session('between agents', 9), delegatedFrom: 'new' },
    ];
    expect(recentSessions(sessions, new Set(['deleted'])).map(({ id }) => id)).toEqual(['new', 'old']);
  });
});

function agent(agentId: string, parentAgentId: string | null = null): Agent {
  return anAgent(agentId, { parentAgentId });
}

function session(id: string, minute: number): Session {
  return {
    id,
    archivedAt: null,
    delegatedFrom: null,
    attributes: {},
    lastActivityAt: at(minute),
  } as unknown as Session;
}

function at(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}
