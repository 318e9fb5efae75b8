import { describe, expect, test } from 'vitest';
import { ScopeDecision } from '../../contract/tools.ts';
import type { ResolvedAgent } from '../../server/agents/resolved-agent.ts';
import { type Ceiling, decide, type Scope, type ScopedTool, type Subject } from '../../server/tools/scope.ts';
import type { Tool } from '../../server/tools/tool.ts';
import { LISTS, makeScope, makeTool, subjectOf, truthTable } from './scopes.ts';

const bash = makeTool('bash', { risk: 'execute', agents: ['ops', 'wisp/*'] });
const add = makeTool('lists_add', { risk: 'write', capabilities: ['lists.read', 'lists.append'] });
const readOnly: Ceiling = { kind: 'mode', mode: 'read-only', sessionId: 's1' };

const ofTool = (scope: Scope, tool: ScopedTool, ceilings?: readonly Ceiling[]) =>
  decide(scope, { kind: 'tool', tool }, ceilings);
const ofSkill = (scope: Scope, plugin: string, ceilings?: readonly Ceiling[]) =>
  decide(scope, { kind: 'skill', plugin }, ceilings);
const ofAgent = (scope: Scope, agentId: string, uiVisible = true) =>
  decide(scope, { kind: 'agent', agentId, uiVisible });

describe('no list is no restriction, an empty one is nothing', () => {
  describe.each(LISTS)('%s', (list) => {
    test.each(truthTable(list))('$words: $allowed', ({ value, allowed }) => {
      const written = makeScope('a', { [list]: value });
      const decision = decide(written, subjectOf(list));
      expect(decision.allowed).toBe(allowed);
      expect(ScopeDecision.parse(decision)).toEqual(decision);
      expect(decision.rule.list).toBe(allowed && (!value || list.endsWith('Denylist')) ? 'none' : list);
      if (value === undefined) expect(decide(makeScope('a'), subjectOf(list))).toEqual(decision);
    });
  });
});

test('agents and tools as they are elsewhere can be decided about as they are', () => {
  const types = (agent: ResolvedAgent, tool: Tool): [Scope, ScopedTool] => [agent, tool];
  expect(types).toBeTypeOf('function');
});

describe('a tool', () => {
  test('is denied after it was allowed', () => {
    const scope = makeScope('a', { toolAllowlist: ['lists_*'], toolDenylist: ['*_add'] });
    expect(ofTool(scope, add)).toMatchObject({ allowed: false, rule: { list: 'toolDenylist', pattern: '*_add' } });
    expect(ofTool(scope, makeTool('lists_get')).allowed).toBe(true);
  });

  test('needs every one of its capabilities', () => {
    const one = makeScope('a', { capabilityAllowlist: ['lists.read'] });
    expect(ofTool(one, add)).toMatchObject({
      allowed: false,
      rule: { list: 'capabilityAllowlist', subject: 'lists.append', pattern: null },
    });
    expect(ofTool(makeScope('a', { capabilityAllowlist: ['*.append', '*.read'] }), add).allowed).toBe(true);
    const denied = makeScope('a', { capabilityAllowlist: ['*'], capabilityDenylist: ['*.append'] });
    expect(ofTool(denied, add).rule).toMatchObject({ list: 'capabilityDenylist', subject: 'lists.append' });
  });

  test('that declares no capability is not touched by their lists', () => {
    const scope = makeScope('a', { capabilityAllowlist: [], capabilityDenylist: ['*'] });
    expect(ofTool(scope, makeTool('x'))).toMatchObject({ allowed: true, rule: { list: 'none' } });
  });

  test('must pass the lists of names and of capabilities both', () => {
    const named = makeScope('a', { toolAllowlist: ['lists_add'], capabilityAllowlist: [] });
    expect(ofTool(named, add).rule.list).toBe('capabilityAllowlist');
    const capable = makeScope('a', { toolAllowlist: [], capabilityAllowlist: ['*'] });
    expect(ofTool(capable, add).rule.list).toBe('toolAllowlist');
  });

  test('that is configured for some agents is there for no others', () => {
    expect(ofTool(makeScope('ops'), bash)).toMatchObject({ allowed: true, rule: { list: 'configuration' } });
    expect(ofTool(makeScope('wisp/a'), bash).rule.pattern).toBe('wisp/*');
    expect(ofTool(makeScope('general', { toolAllowlist: ['bash'] }), bash)).toMatchObject({
      allowed: false,
      rule: { list: 'configuration', pattern: null, subject: 'bash', of: 'general' },
    });
    expect(ofTool(makeScope('ops', { toolDenylist: ['bash'] }), bash).rule.list).toBe('toolDenylist');
    expect(ofTool(makeScope('ops'), makeTool('bash', { agents: [] })).allowed).toBe(false);
  });

  test('that there is not is refused to everyone', () => {
    const decision = decide(makeScope('a', { toolAllowlist: ['*'] }), { kind: 'unknown-tool', name: 'system_x' });
    expect(decision).toMatchObject({ allowed: false, rule: { list: 'unknown', subject: 'system_x' } });
  });
});

describe('a system tool', () => {
  const nothing = { toolAllowlist: [], toolDenylist: ['*'], capabilityAllowlist: [], capabilityDenylist: ['*'] };
  const system = makeTool('system_now', { capabilities: ['time'], source: { kind: 'built-in', id: 'system' } });

  test('that is built in is there for everyone', () => {
    const ceilings: Ceiling[] = [{ kind: 'agent', scope: makeScope('boss', nothing) }, readOnly];
    expect(ofTool(makeScope('a', nothing), system, ceilings)).toMatchObject({
      allowed: true,
      rule: { list: 'system' },
    });
  });

  test.each(['plugin', 'mcp'] as const)('that comes from a %s is refused to everyone', (kind) => {
    const forged = { ...system, source: { kind, id: 'x' } };
    for (const scope of [makeScope('a'), makeScope('a', { toolAllowlist: ['system_*'] })]) {
      expect(ofTool(scope, forged)).toMatchObject({ allowed: false, rule: { list: 'system', pattern: null } });
    }
  });

  test('is one by its whole prefix only', () => {
    for (const name of ['systemctl', 'System_now', 'a_system_now']) {
      expect(ofTool(makeScope('a', nothing), makeTool(name, { source: system.source })).rule.list).toBe(
        'toolAllowlist',
      );
      expect(ofTool(makeScope('a'), makeTool(name)).rule.list).toBe('none');
    }
  });

  test('that changes something is refused where only reading is allowed', () => {
    expect(ofTool(makeScope('a'), { ...system, risk: 'write' }, [readOnly]).rule.list).toBe('mode');
  });
});

describe('a skill', () => {
  test.each(['skills', 'mixed'] as const)('is there when tools are exposed as %s', (toolExposure) => {
    expect(ofSkill(makeScope('a', { toolExposure }), 'notes').allowed).toBe(true);
    expect(ofSkill(makeScope('a', { toolExposure, skillDenylist: ['n*'] }), 'notes').allowed).toBe(false);
  });

  test('is not there when they are exposed as tools, whatever the lists say', () => {
    const scope = makeScope('a', { toolExposure: 'tools', skillAllowlist: ['notes'] });
    expect(ofSkill(scope, 'notes')).toMatchObject({ allowed: false, rule: { list: 'toolExposure', subject: 'notes' } });
  });

  test('does not hang on the lists of tools', () => {
    expect(ofSkill(makeScope('a', { toolAllowlist: [], capabilityAllowlist: [] }), 'notes').allowed).toBe(true);
  });
});

describe('an agent', () => {
  test('cannot message itself', () => {
    expect(ofAgent(makeScope('a', { agentAllowlist: ['a'] }), 'a')).toMatchObject({
      allowed: false,
      rule: { list: 'self' },
    });
  });

  test('that is hidden is there only for those whose allowlist names it', () => {
    expect(ofAgent(makeScope('a'), 'b', false)).toMatchObject({ allowed: false, rule: { list: 'uiVisible' } });
    expect(ofAgent(makeScope('a', { agentAllowlist: null }), 'b', false).allowed).toBe(false);
    expect(ofAgent(makeScope('a', { agentAllowlist: [] }), 'b', false).rule.list).toBe('agentAllowlist');
    expect(ofAgent(makeScope('a', { agentAllowlist: ['c'] }), 'b', false).rule.list).toBe('agentAllowlist');
    expect(ofAgent(makeScope('a', { agentAllowlist: ['b'] }), 'b', false).allowed).toBe(true);
    expect(ofAgent(makeScope('a', { agentAllowlist: ['*'] }), 'b', false).allowed).toBe(false);
    expect(ofAgent(makeScope('a', { agentAllowlist: ['*', 'b*'] }), 'b', false).allowed).toBe(true);
    const denied = makeScope('a', { agentAllowlist: ['b'], agentDenylist: ['b'] });
    expect(ofAgent(denied, 'b', false).rule.list).toBe('agentDenylist');
  });
});

describe('a ceiling', () => {
  const worker = makeScope('worker');
  const under = (boss: Partial<Scope>): Ceiling => ({ kind: 'agent', scope: makeScope('boss', boss) });

  test('cuts what the one it comes from may not use, and says whose it is', () => {
    expect(ofTool(worker, add, [under({})])).toEqual(ofTool(worker, add));
    expect(ofTool(worker, add, [under({ toolDenylist: ['lists_*'] })])).toEqual({
      allowed: false,
      rule: { list: 'toolDenylist', pattern: 'lists_*', subject: 'lists_add', of: 'boss' },
      reason: 'worker works for boss: toolDenylist of boss blocks lists_add ("lists_*").',
      reasonText: {
        key: 'scope.ceiling',
        values: { worker: 'worker', caller: 'boss', reason: expect.objectContaining({ key: 'scope.blocked' }) },
      },
    });
    expect(ofTool(makeScope('ops'), bash, [under({})])).toMatchObject({
      allowed: false,
      rule: { list: 'configuration', of: 'boss' },
    });
  });

  test('gives nothing that the agent may not use itself', () => {
    const decision = ofTool(makeScope('worker', { toolAllowlist: [] }), add, [under({ toolAllowlist: ['*'] })]);
    expect(decision).toMatchObject({ allowed: false, rule: { of: 'worker' } });
  });

  test('of a session that is read-only leaves what only reads', () => {
    expect(ofTool(worker, add, [readOnly])).toMatchObject({
      allowed: false,
      rule: { list: 'mode', of: 's1', subject: 'lists_add' },
    });
    expect(ofTool(makeScope('ops'), bash, [readOnly]).allowed).toBe(false);
    expect(ofTool(worker, makeTool('lists_get'), [readOnly]).allowed).toBe(true);
  });

  test('decides when it is the first of several that refuses', () => {
    const [open, closed] = [under({}), under({ toolAllowlist: [] })];
    expect(ofTool(worker, add, [open, readOnly, closed]).rule.of).toBe('s1');
    expect(ofTool(worker, add, [open, closed, readOnly]).rule.of).toBe('boss');
  });

  test('cuts skills by its lists, not by how tools are exposed to the one it comes from', () => {
    expect(ofSkill(worker, 'notes', [under({ toolExposure: 'tools' }), readOnly]).allowed).toBe(true);
    const cut = ofSkill(worker, 'notes', [under({ toolExposure: 'tools', skillAllowlist: ['lists'] })]);
    expect(cut).toMatchObject({ allowed: false, rule: { list: 'skillAllowlist', of: 'boss' } });
  });

  test('leaves whom an agent may message to the agent', () => {
    const message: Subject = { kind: 'agent', agentId: 'boss', uiVisible: true };
    expect(decide(worker, message, [under({ agentAllowlist: [] }), readOnly]).allowed).toBe(true);
  });
});

describe('the reason is one sentence that names the list, the pattern and the subject', () => {
  const scope = makeScope('reading-list', {
    toolAllowlist: ['lists_*', 'reading_list_*', 'bash', 'ping'],
    toolDenylist: ['reading_list_delete'],
    capabilityAllowlist: ['lists.*'],
    capabilityDenylist: ['lists.write'],
    skillAllowlist: ['notes'],
    agentAllowlist: ['todo'],
  });
  const tool = (name: string, ...capabilities: string[]): Subject => ({
    kind: 'tool',
    tool: makeTool(name, { capabilities }),
  });
  const open = makeScope('general', { toolExposure: 'tools' });

  test.each<[Scope, Subject, string]>([
    [
      scope,
      tool('reading_list_delete'),
      'toolDenylist of reading-list blocks reading_list_delete ("reading_list_delete").',
    ],
    [scope, tool('web_fetch'), 'toolAllowlist of reading-list does not include web_fetch.'],
    [scope, tool('ping', 'net'), 'capabilityAllowlist of reading-list does not include net, which ping needs.'],
    [
      scope,
      tool('lists_set', 'lists.write'),
      'capabilityDenylist of reading-list blocks lists.write, which lists_set needs ("lists.write").',
    ],
    [scope, tool('lists_add', 'lists.append'), 'toolAllowlist of reading-list allows lists_add ("lists_*").'],
    [
      makeScope('a', { capabilityAllowlist: ['l*'] }),
      tool('lists_add', 'lists.append'),
      'capabilityAllowlist of a allows lists.append, which lists_add needs ("l*").',
    ],
    [scope, { kind: 'tool', tool: bash }, 'bash is not configured for reading-list.'],
    [makeScope('ops'), { kind: 'tool', tool: bash }, 'bash is configured for ops ("ops").'],
    [open, tool('web_fetch'), 'Nothing restricts web_fetch for general.'],
    [open, tool('system_x'), 'system_x of made-up uses a name that is reserved for built-in tools.'],
    [open, { kind: 'unknown-tool', name: 'nothing' }, 'Tool not found: nothing.'],
    [scope, { kind: 'skill', plugin: 'lists' }, 'skillAllowlist of reading-list does not include lists.'],
    [open, { kind: 'skill', plugin: 'lists' }, 'toolExposure of general is "tools", so it has no skills.'],
    [
      scope,
      { kind: 'agent', agentId: 'general', uiVisible: true },
      'agentAllowlist of reading-list does not include general.',
    ],
    [
      open,
      { kind: 'agent', agentId: 'secret', uiVisible: false },
      "secret is hidden (uiVisible is false), and agentAllowlist of general doesn't name it.",
    ],
    [open, { kind: 'agent', agentId: 'general', uiVisible: true }, "general can't message itself."],
  ])('%#', (asker, subject, reason) => {
    expect(decide(asker, subject).reason).toBe(reason);
  });

  test('also about a session that is read-only', () => {
    expect(ofTool(makeScope('a'), add, [readOnly]).reason).toBe(
      'Session s1 is read-only, and lists_add can do more than read.',
    );
  });
});
