import { describe, expect, test } from 'vitest';
import { Explanation } from '../../contract/tools.ts';
import { decideApproval } from '../../server/tools/approval-policy.ts';
import { explain } from '../../server/tools/explain.ts';
import type { Ceiling, Scope } from '../../server/tools/scope.ts';
import { makeFixture, makeScope, makeTool, SETTINGS } from './scopes.ts';

const message = makeTool('agents_message', { source: { kind: 'built-in', id: 'agents' } });
const fetchTool = makeTool('web_fetch');
const bash = makeTool('bash', { risk: 'execute', agents: ['ops'] });
const issue = makeTool('github__issue', { risk: 'execute', source: { kind: 'mcp', id: 'github' } });
const TOOLS = [message, fetchTool, bash, issue];

const reachOf = (agents: readonly Scope[], asker: string) => explain(makeFixture(agents, TOOLS), asker).reach;

describe('approval', () => {
  const ops = makeScope('ops', {
    approvals: [
      ['bash', 'allow'],
      ['*__*', 'deny'],
      ['b*', 'deny'],
    ],
  });

  test('is what the first pattern of the agent says', () => {
    expect(decideApproval(ops, bash, SETTINGS)).toMatchObject({
      policy: 'allow',
      rule: { message: 'approvals of ops sets "bash" to allow.' },
    });
    expect(decideApproval(ops, issue, SETTINGS, 'allow').policy).toBe('deny');
  });

  test('is else what the source says, and else what goes for its risk', () => {
    const plain = makeScope('plain');
    expect(decideApproval(plain, issue, SETTINGS, 'allow')).toMatchObject({
      policy: 'allow',
      rule: { message: 'approval of github is set to allow.' },
    });
    expect(decideApproval(plain, issue, SETTINGS)).toMatchObject({
      policy: 'ask',
      rule: { message: 'approvals.execute in the configuration is set to ask.' },
    });
    expect(decideApproval(plain, fetchTool, { ...SETTINGS, read: 'deny' }).policy).toBe('deny');
    expect(decideApproval(plain, { ...fetchTool, risk: 'write' }, { ...SETTINGS, write: 'ask' }).policy).toBe('ask');
  });

  test('is the strictest of those under whose ceiling the agent works', () => {
    const above = (policy: 'allow' | 'ask' | 'deny'): Ceiling => ({
      kind: 'agent',
      scope: makeScope(policy, { approvals: [['*', policy]] }),
    });
    const readOnly: Ceiling = { kind: 'mode', mode: 'read-only', sessionId: 's1' };
    const under = (...ceilings: Ceiling[]) => decideApproval(ops, bash, SETTINGS, undefined, ceilings);
    expect(under(above('allow'), readOnly).rule.message).toBe('approvals of ops sets "bash" to allow.');
    expect(under(above('ask'), above('allow'))).toMatchObject({
      policy: 'ask',
      rule: { message: 'approvals of ask sets "*" to ask.' },
    });
    expect(under(above('ask'), above('deny')).policy).toBe('deny');
  });
});

describe('a tool that sends', () => {
  const send = makeTool('web_fetch', { sends: true, source: { kind: 'built-in', id: 'web' } });
  const read = makeTool('files_read', { capabilities: ['files.read'], source: { kind: 'built-in', id: 'files' } });
  const approvalIn = (scope: Scope, ...others: Scope[]) =>
    explain(makeFixture([scope, ...others], [message, send, read]), scope.agentId, 'web_fetch').tools[0]!;

  test('asks where the agent can read private things, and says which', () => {
    const { approval, approvalRule } = approvalIn(makeScope('a', { toolAllowlist: ['web_fetch', 'files_*'] }));
    expect(approval).toBe('ask');
    expect(approvalRule).toContain('could send what a can read with files_read');
  });

  test('does not ask where there is nothing private to read, or where its own rule allows it', () => {
    expect(approvalIn(makeScope('a', { toolAllowlist: ['web_fetch'] })).approval).toBe('allow');
    expect(approvalIn(makeScope('a', { approvals: [['web_*', 'allow']] })).approval).toBe('allow');
  });

  test('asks where another agent could read for it, by message or by tag', () => {
    const asks = makeScope('a', { toolAllowlist: ['web_fetch'], delegation: { ceiling: null, tags: true } });
    expect(approvalIn(asks, makeScope('b')).approvalRule).toContain('with <delegate>');
  });
});

describe('reach by tags', () => {
  test('goes along <delegate> tags, of an agent that says so and of one that has children', () => {
    const kid = makeScope('kid', { parentAgentId: 'boss', toolAllowlist: ['web_fetch'] });
    const boss = makeScope('boss', { toolAllowlist: [] });
    expect(reachOf([boss, kid], 'boss')).toEqual({
      agents: [{ agentId: 'kid', via: [] }],
      tools: [{ tool: 'web_fetch', through: ['kid'] }],
    });
    const mute = { ...boss, delegation: { ceiling: null, tags: false } };
    expect(reachOf([mute, kid], 'boss').agents).toEqual([]);
    const tagging = makeScope('boss', { toolAllowlist: [], delegation: { ceiling: null, tags: true } });
    expect(reachOf([tagging, makeScope('other')], 'boss').agents).toEqual([{ agentId: 'other', via: [] }]);
  });
});

describe('an explanation', () => {
  const fixture = makeFixture([makeScope('ops'), makeScope('clerk', { agentDenylist: ['ops'] })], TOOLS, {
    plugins: ['notes'],
    approvalDefault: (tool) => (tool.source.kind === 'mcp' ? 'deny' : undefined),
  });

  test('says for every tool, skill and other agent which rule decides, as the contract has it', () => {
    const explanation = explain(fixture, 'clerk');
    expect(Explanation.parse(explanation)).toEqual(explanation);
    expect(explanation.tools.map(({ tool, decision, approval }) => [tool, decision.allowed, approval])).toEqual([
      ['agents_message', true, 'allow'],
      ['web_fetch', true, 'allow'],
      ['bash', false, 'ask'],
      ['github__issue', true, 'deny'],
    ]);
    expect(explanation.tools.at(-1)?.approvalRule).toBe('approval of github is set to deny.');
    expect(explanation.skills).toMatchObject([{ plugin: 'notes', decision: { allowed: false } }]);
    expect(explanation.skills[0]!.decision.reason).toContain('would need bash');
    expect(explanation.agents).toMatchObject([
      { agentId: 'ops', decision: { allowed: false, rule: { list: 'agentDenylist' } } },
    ]);
  });

  test('of one tool is about that tool', () => {
    const only = makeFixture([makeScope('clerk'), makeScope('ops')], TOOLS);
    expect(explain(only, 'clerk', 'bash')).toMatchObject({
      tools: [{ tool: 'bash', decision: { allowed: false, rule: { list: 'configuration' } } }],
      reach: { tools: [{ tool: 'bash', through: ['ops'] }] },
    });
    expect(explain(only, 'clerk', 'web_fetch')).toMatchObject({
      tools: [{ tool: 'web_fetch', decision: { allowed: true } }],
      reach: { agents: [{ agentId: 'ops' }], tools: [] },
    });
  });

  test.each(['bas', 'bash ', '__proto__', 'toString'])('of %j says that there is no such tool', (name) => {
    const explanation = explain(fixture, 'ops', name);
    expect(Explanation.parse(explanation)).toEqual(explanation);
    expect(explanation.tools).toEqual([
      {
        tool: name,
        decision: {
          allowed: false,
          rule: { list: 'unknown', pattern: null, subject: name, of: 'ops' },
          reason: `Tool not found: ${name}.`,
          reasonText: { key: 'scope.unknownTool', values: { name } },
        },
        approval: 'deny',
        approvalRule: `Tool not found: ${name}.`,
        approvalRuleText: { key: 'scope.unknownTool', values: { name } },
      },
    ]);
  });

  test('of an agent that is not there is refused', () => {
    expect(() => explain(fixture, 'nobody')).toThrow(expect.objectContaining({ code: 'agent_not_found' }));
  });
});

describe('full authority', () => {
  const has = (scope: Scope, tools = TOOLS, tool?: string) => explain(makeFixture([scope], tools), scope.agentId, tool);

  test('is to be allowed bash, whatever is asked about', () => {
    expect(has(makeScope('ops')).fullAuthority).toBe(true);
    expect(has(makeScope('ops'), TOOLS, 'web_fetch').fullAuthority).toBe(true);
    expect(has(makeScope('clerk')).fullAuthority).toBe(false);
    expect(has(makeScope('ops', { toolDenylist: ['bash'] })).fullAuthority).toBe(false);
    expect(has(makeScope('ops'), [message]).fullAuthority).toBe(false);
  });

  test('is not lost by having to ask, but by never being allowed to', () => {
    expect(has(makeScope('ops', { approvals: [['bash', 'ask']] })).fullAuthority).toBe(true);
    expect(has(makeScope('ops', { approvals: [['bash', 'deny']] })).fullAuthority).toBe(false);
  });
});

describe('reach', () => {
  const chain = (middle: Partial<Scope> = {}, first: Partial<Scope> = {}) => [
    makeScope('front', { agentAllowlist: ['middle'], ...first }),
    makeScope('middle', { agentAllowlist: ['ops'], ...middle }),
    makeScope('ops', { agentAllowlist: [] }),
  ];

  test('goes through others, and says through whom', () => {
    expect(reachOf(chain(), 'front')).toEqual({
      agents: [
        { agentId: 'middle', via: [] },
        { agentId: 'ops', via: ['middle'] },
      ],
      tools: [{ tool: 'bash', through: ['ops'] }],
    });
  });

  test('takes the shortest way and comes back from circles', () => {
    const circle = ['a', 'b', 'c', 'd', 'ops'].map((agentId, index, ids) =>
      makeScope(agentId, { agentAllowlist: [ids[(index + 1) % ids.length]!, ...(agentId === 'a' ? ['c'] : [])] }),
    );
    expect(reachOf(circle, 'a').agents).toEqual([
      { agentId: 'b', via: [] },
      { agentId: 'c', via: [] },
      { agentId: 'd', via: ['c'] },
      { agentId: 'ops', via: ['c', 'd'] },
    ]);
  });

  test('ends at whoever may not use agents_message', () => {
    for (const silent of [{ toolAllowlist: [] }, { approvals: [['agents_*', 'deny']] }] satisfies Partial<Scope>[]) {
      expect(reachOf(chain(silent), 'front')).toEqual({ agents: [{ agentId: 'middle', via: [] }], tools: [] });
      expect(reachOf(chain({}, silent), 'front')).toEqual({ agents: [], tools: [] });
    }
    expect(explain(makeFixture(chain(), [bash]), 'front').reach).toEqual({ agents: [], tools: [] });
  });

  test('ends at hidden agents that nobody names', () => {
    const hidden = makeScope('ops', { uiVisible: false });
    expect(reachOf([makeScope('a'), hidden], 'a').agents).toEqual([]);
    expect(reachOf([makeScope('a', { agentAllowlist: ['o*'] }), hidden], 'a').agents).toHaveLength(1);
  });

  test('does not tell of tools that the agent may use itself', () => {
    const agents = [makeScope('a', { toolDenylist: ['web_*'] }), makeScope('b'), makeScope('c')];
    expect(reachOf(agents, 'a').tools).toEqual([{ tool: 'web_fetch', through: ['b', 'c'] }]);
    expect(reachOf(agents, 'b').tools).toEqual([]);
  });

  test('tells of tools that the agent has, but is never allowed to use', () => {
    const agents = [makeScope('a', { approvals: [['web_fetch', 'deny']] }), makeScope('b')];
    expect(reachOf(agents, 'a').tools).toEqual([{ tool: 'web_fetch', through: ['b'] }]);
  });

  describe('under a ceiling', () => {
    const ceiling = { delegation: { ceiling: 'self' } } as const;

    test('of the agent itself adds no tools', () => {
      const { agents, tools } = reachOf(chain({}, ceiling), 'front');
      expect(agents).toHaveLength(2);
      expect(tools).toEqual([]);
    });

    test('of somebody on the way adds only what that one may use itself', () => {
      const front = { toolDenylist: ['web_fetch'] };
      expect(reachOf(chain(ceiling, front), 'front').tools).toEqual([
        { tool: 'web_fetch', through: ['middle', 'ops'] },
      ]);
      expect(reachOf(chain({ ...ceiling, toolDenylist: ['web_fetch'] }, front), 'front').tools).toEqual([]);
    });

    test('of the one at the end is no matter: it cuts only those who work for it', () => {
      const agents = [makeScope('a'), makeScope('ops', ceiling)];
      expect(reachOf(agents, 'a').tools).toEqual([{ tool: 'bash', through: ['ops'] }]);
    });

    test('tools come by a longer way that has none', () => {
      const agents = [
        makeScope('front', { agentAllowlist: ['short', 'long'] }),
        makeScope('short', { agentAllowlist: ['ops'], ...ceiling }),
        makeScope('long', { agentAllowlist: ['longer'] }),
        makeScope('longer', { agentAllowlist: ['ops'] }),
        makeScope('ops', { agentAllowlist: [] }),
      ];
      const { agents: reached, tools } = reachOf(agents, 'front');
      expect(reached.at(-1)).toEqual({ agentId: 'longer', via: ['long'] });
      expect(reached.find(({ agentId }) => agentId === 'ops')).toEqual({ agentId: 'ops', via: ['short'] });
      expect(tools).toEqual([{ tool: 'bash', through: ['ops'] }]);
    });
  });
});
