import { describe, expect, it } from 'vitest';
import type { Agent, AgentDefinition } from '../../contract/agents.ts';
import type { Explanation } from '../../contract/tools.ts';
import { blankAgent, copyOf, freeId, fromTemplate } from '../../web/pages/agents/beginnings.ts';
import { sumUpScope } from '../../web/pages/agents/scope-words.ts';

describe('what a new agent begins as', () => {
  it('has a model that already works here, and rather a real one', () => {
    const agents = [agent('a'), { ...agent('b'), provider: 'anthropic', model: 'claude' } as Agent];
    expect(blankAgent(agents).chat).toEqual({ provider: 'anthropic', model: 'claude' });
    expect(blankAgent([]).chat).toEqual({ provider: 'demo' });
    expect(fromTemplate({ templateId: 'writer' }, agents)).toMatchObject({ agentId: 'writer', extends: 'writer' });
  });

  it('has a name that nobody has', () => {
    expect(freeId('a', [agent('b')])).toBe('a');
    expect(freeId('a', [agent('a'), agent('a-2')])).toBe('a-3');
  });

  it('is a copy without a key that is not shown', () => {
    const definition: AgentDefinition = { agentId: 'x', chat: { provider: 'openai', apiKey: '…' } };
    expect(copyOf(definition, 'Copy', [])).toEqual({
      agentId: 'x-copy',
      displayName: 'Copy',
      chat: { provider: 'openai' },
    });
    const named: AgentDefinition = { agentId: 'x', chat: { apiKey: '${KEY}' } };
    expect(copyOf(named, 'Copy', []).chat).toEqual({ apiKey: '${KEY}' });
  });
});

describe('the scope of an agent', () => {
  it('tells what is free, what asks, what is refused and whom it reaches only through others', () => {
    const summary = sumUpScope({
      agentId: 'a',
      fullAuthority: false,
      tools: [
        tool('free', true, 'allow'),
        tool('asks', true, 'ask'),
        tool('off', false, 'allow'),
        tool('no', true, 'deny'),
      ],
      skills: [],
      agents: [
        { agentId: 'b', decision: decision(true) },
        { agentId: 'c', decision: decision(false) },
      ],
      reach: {
        agents: [
          { agentId: 'b', via: [] },
          { agentId: 'd', via: ['b'] },
        ],
        tools: [{ tool: 'bash', through: ['d'] }],
      },
    });
    expect(names(summary.uses)).toEqual(['free']);
    expect(names(summary.asksFirst)).toEqual(['asks']);
    expect(names(summary.mayNot)).toEqual(['off', 'no']);
    expect(names(summary.mayAsk)).toEqual(['b']);
    expect(names(summary.mayNotAsk)).toEqual(['c']);
    expect(summary.reaches).toEqual([{ agentId: 'd', via: ['b'] }]);
  });
});

function names(list: readonly { name: string }[]): string[] {
  return list.map(({ name }) => name);
}

function decision(allowed: boolean) {
  return { allowed, rule: { list: 'none', pattern: null, subject: '', of: '' }, reason: 'because' } as const;
}

function tool(name: string, allowed: boolean, approval: 'allow' | 'ask' | 'deny'): Explanation['tools'][number] {
  return { tool: name, decision: decision(allowed), approval, approvalRule: 'rule' };
}

function agent(agentId: string): Agent {
  return { agentId, provider: 'demo', model: 'demo', available: true } as Agent;
}
