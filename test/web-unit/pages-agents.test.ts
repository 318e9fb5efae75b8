import { describe, expect, it } from 'vitest';
import type { ParleyClient } from '../../client/parley-client.ts';
import { usualChat } from '../../client/usual-chat.ts';
import type { Agent, AgentDefinition } from '../../contract/agents.ts';
import type { Explanation } from '../../contract/tools.ts';
import { sumUpScope } from '../../web/pages/agents/scope-words.ts';
import { blankAgent, copyOf, freeId, fromTemplate } from '../../web/pages/agents/use-beginning.ts';

describe('what a new agent begins as', () => {
  it('has a model that already works here, and rather a real one, with its address and without a written-out key', async () => {
    const real = { ...agent('b'), provider: 'openai-compatible', model: 'llama' } as Agent;
    const chat = {
      provider: 'openai-compatible',
      model: 'llama',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: '…',
    } as const;
    const client = { call: async () => ({ resolved: { agentId: 'b', chat } }) } as unknown as ParleyClient;
    const { apiKey: _, ...shown } = chat;
    expect(await usualChat(client, [agent('a'), real])).toEqual(shown);
    expect(await usualChat(client, [])).toEqual({ provider: 'demo' });
    expect(await usualChat(client, [agent('a'), { ...real, available: false }])).toEqual({ provider: 'demo' });
    expect(blankAgent({ chat: shown }).chat).toEqual(shown);
    const written = fromTemplate({ templateId: 'writer' }, [agent('writer')], shown);
    expect(written).toMatchObject({ agentId: 'writer-2', extends: 'writer', chat: shown });
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
    expect(summary.ownTools).toEqual([]);
  });

  it('are told by what a tool does where a program brings tools of its own', () => {
    const ownTools = [
      { ...tool('*', true, 'allow'), risk: 'read' as const, sends: false },
      { ...tool('*', true, 'ask'), risk: 'read' as const, sends: true },
      { ...tool('*', false, 'ask'), risk: 'write' as const, sends: false },
      { ...tool('*', true, 'ask'), risk: 'execute' as const, sends: true },
    ];
    const nothing = { agentId: 'a', fullAuthority: false, tools: [], skills: [], agents: [] };
    expect(sumUpScope({ ...nothing, ownTools, reach: { agents: [], tools: [] } }).ownTools).toEqual([
      { does: 'read', policy: 'allow', reason: 'rule' },
      { does: 'web', policy: 'ask', reason: 'rule' },
      { does: 'write', policy: 'deny', reason: 'because' },
      { does: 'execute', policy: 'ask', reason: 'rule' },
    ]);
  });
});

function names(list: readonly { name: string }[]): string[] {
  return list.map(({ name }) => name);
}

function decision(allowed: boolean) {
  return {
    allowed,
    rule: { list: 'none', pattern: null, subject: '', of: '' },
    reason: 'because',
    reasonText: { key: 'test', values: {} },
  } as const;
}

function tool(name: string, allowed: boolean, approval: 'allow' | 'ask' | 'deny'): Explanation['tools'][number] {
  return {
    tool: name,
    decision: decision(allowed),
    approval,
    approvalRule: 'rule',
    approvalRuleText: { key: 'test', values: {} },
  };
}

function agent(agentId: string): Agent {
  return { agentId, type: 'chat', provider: 'demo', model: 'demo', available: true } as Agent;
}
