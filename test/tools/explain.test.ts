import { describe, expect, test } from 'vitest';
import { Explanation } from '../../contract/tools.ts';
import { decideApproval } from '../../server/tools/approval-policy.ts';
import { explain } from '../../server/tools/explain.ts';
import type { Ceiling, Scope } from '../../server/tools/scope.ts';
import { makeScope, makeTool, makeWorld, SETTINGS } from './scopes.ts';

const message = makeTool('agents_message', { source: { kind: 'built-in', id: 'agents' } });
const fetchTool = makeTool('web_fetch');
const bash = makeTool('bash', { risk: 'execute', agents: ['ops'] });
const issue = makeTool('github__issue', { risk: 'execute', source: { kind: 'mcp', id: 'github' } });
const TOOLS = [message, fetchTool, bash, issue];

const reachOf = (agents: readonly Scope[], asker: string) => explain(makeWorld(agents, TOOLS), asker).reach;

describe('approval', () => {
  const ops = makeScope('ops', {
    approvals: [
      ['bash', 'allow'],
      ['*__*', 'deny'],
      ['b*', 'deny'],
    ],
  });

  test('is what the first pattern of the agent says', () => {
    expect(decideApproval(ops, bash, SETTINGS)).toEqual({
      policy: 'allow',
      rule: 'approvals of ops says allow for bash ("bash").',
    });
    expect(decideApproval(ops, issue, SETTINGS, 'allow').policy).toBe('deny');
  });

  test('is else what the source says, and else what goes for its risk', () => {
    const plain = makeScope('plain');
    expect(decideApproval(plain, issue, SETTINGS, 'allow')).toEqual({
      policy: 'allow',
      rule: 'approval of github says allow for its tools.',
    });
    expect(decideApproval(plain, issue, SETTINGS)).toEqual({
      policy: 'ask',
      rule: 'approvals.execute of the configuration says ask for tools like github__issue.',
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
    expect(under(above('allow'), readOnly).rule).toBe('approvals of ops says allow for bash ("bash").');
    expect(under(above('ask'), above('allow'))).toEqual({
      policy: 'ask',
      rule: 'approvals of ask says ask for bash ("*").',
    });
    expect(under(above('ask'), above('deny')).policy).toBe('deny');
  });
});

describe('an explanation', () => {
  const world = makeWorld([makeScope('ops'), makeScope('clerk', { agentDenylist: ['ops'] })], TOOLS, {
    plugins: ['notes'],
    approvalDefault: (tool) => (tool.source.kind === 'mcp' ? 'deny' : undefined),
  });

  test('says for every tool, skill and other agent which rule decides, as the contract has it', () => {
    const explanation = explain(world, 'clerk');
    expect(Explanation.parse(explanation)).toEqual(explanation);
    expect(explanation.tools.map(({ tool, decision, approval }) => [tool, decision.allowed, approval])).toEqual([
      ['agents_message', true, 'allow'],
      ['web_fetch', true, 'allow'],
      ['bash', false, 'ask'],
      ['github__issue', true, 'deny'],
    ]);
    expect(explanation.tools.at(-1)?.approvalRule).toBe('approval of github says deny for its tools.');
    expect(explanation.skills).toMatchObject([{ plugin: 'notes', decision: { allowed: true } }]);
    expect(explanation.agents).toMatchObject([
      { agentId: 'ops', decision: { allowed: false, rule: { list: 'agentDenylist' } } },
    ]);
  });

  test('of one tool is about that tool', () => {
    const only = makeWorld([makeScope('clerk'), makeScope('ops')], TOOLS);
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
    const explanation = explain(world, 'ops', name);
    expect(Explanation.parse(explanation)).toEqual(explanation);
    expect(explanation.tools).toEqual([
      {
        tool: name,
        decision: {
          allowed: false,
          rule: { list: 'unknown', pattern: null, subject: name, of: 'ops' },
          reason: `There is no tool ${name}.`,
        },
        approval: 'deny',
        approvalRule: `There is no tool ${name}.`,
      },
    ]);
  });

  test('of an agent that is not there is refused', () => {
    expect(() => explain(world, 'nobody')).toThrow(expect.objectContaining({ code: 'agent_not_found' }));
  });
});

describe('full authority', () => {
  const has = (scope: Scope, tools = TOOLS, tool?: string) => explain(makeWorld([scope], tools), scope.agentId, tool);

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
    expect(explain(makeWorld(chain(), [bash]), 'front').reach).toEqual({ agents: [], tools: [] });
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
