import fc from 'fast-check';
import { ApprovalSettings } from '../../contract/config.ts';
import type { PermissionContext } from '../../server/tools/permission-context.ts';
import type { Ceiling, Scope, ScopedTool, Subject } from '../../server/tools/scope.ts';

export type List = (typeof LISTS)[number];

export const LISTS = [
  'toolAllowlist',
  'toolDenylist',
  'skillAllowlist',
  'skillDenylist',
  'capabilityAllowlist',
  'capabilityDenylist',
  'agentAllowlist',
  'agentDenylist',
] as const;

export const SETTINGS = ApprovalSettings.parse({});

/** An agent that nothing restricts, until it is said. */
export function makeScope(agentId: string, fields: Partial<Scope> = {}): Scope {
  return {
    agentId,
    toolExposure: 'mixed',
    uiVisible: true,
    approvals: [],
    delegation: { ceiling: null },
    ...fields,
  };
}

export function makeTool(name: string, fields: Partial<ScopedTool> = {}): ScopedTool {
  return { name, capabilities: [], source: { kind: 'plugin', id: 'made-up' }, risk: 'read', ...fields };
}

export function makeFixture(
  agents: readonly Scope[],
  tools: readonly ScopedTool[],
  more: Partial<PermissionContext> = {},
): PermissionContext {
  return {
    agents: new Map(agents.map((scope) => [scope.agentId, scope])),
    tools,
    plugins: [],
    settings: SETTINGS,
    approvalDefault: () => undefined,
    ...more,
  };
}

/** Of each list: what is decided about, and patterns that name it, cover it and miss it. */
const TABLE = {
  tool: { exact: 'lists_add', glob: 'lists_*', miss: 'notes_*' },
  capability: { exact: 'lists.append', glob: 'lists.*', miss: 'notes.*' },
  skill: { exact: 'lists', glob: 'li*', miss: 'notes' },
  agent: { exact: 'wisp/scheduler', glob: 'wisp/*', miss: 'todo' },
};

const SUBJECTS: Record<keyof typeof TABLE, Subject> = {
  tool: { kind: 'tool', tool: makeTool('lists_add', { capabilities: ['lists.append'] }) },
  capability: { kind: 'tool', tool: makeTool('lists_add', { capabilities: ['lists.append'] }) },
  skill: { kind: 'skill', plugin: 'lists' },
  agent: { kind: 'agent', agentId: 'wisp/scheduler', uiVisible: true },
};

export interface Row {
  readonly words: string;
  readonly value: string[] | null | undefined;
  readonly allowed: boolean;
}

export function subjectOf(list: List): Subject {
  return SUBJECTS[kindOf(list)];
}

/** What a list may be, and whether its subject is then allowed. */
export function truthTable(list: List): Row[] {
  const { exact, glob, miss } = TABLE[kindOf(list)];
  const isDenylist = list.endsWith('Denylist');
  return [
    { words: 'absent', value: undefined, allowed: true },
    { words: 'null', value: null, allowed: true },
    { words: '[]', value: [], allowed: isDenylist },
    { words: '["*"]', value: ['*'], allowed: !isDenylist },
    { words: 'its name', value: [exact], allowed: !isDenylist },
    { words: 'a pattern that covers it', value: [glob], allowed: !isDenylist },
    { words: 'a pattern that misses it', value: [miss], allowed: isDenylist },
  ];
}

function kindOf(list: List): keyof typeof TABLE {
  return list.replace(/(Allow|Deny)list$/, '') as keyof typeof TABLE;
}

/** Few enough names and patterns that they meet often. */
export const AGENT_IDS = ['boss', 'clerk', 'wisp/a', 'wisp/b', 'zoe'];
export const TOOL_NAMES = ['agents_message', 'bash', 'list_add', 'list_all', 'note_add', 'system_now', 'system_fake'];
const CAPABILITIES = ['agents', 'lists.read', 'lists.write', 'notes.read'];
const PLUGINS = ['lists', 'notes', 'wisp'];

function patterns(names: readonly string[], globs: readonly string[]) {
  const list = fc.array(fc.constantFrom(...names, ...globs, '*', 'nothing'), { maxLength: 3 });
  return fc.oneof(fc.constantFrom(null, undefined), list);
}

const toolPatterns = patterns(TOOL_NAMES, ['list_*', '*_add', '*a*', 'system_*']);
const capabilityPatterns = patterns(CAPABILITIES, ['lists.*', '*.read', 'l*s*']);
const skillPatterns = patterns(PLUGINS, ['*s', 'l*']);
const agentPatterns = patterns(AGENT_IDS, ['wisp/*', '*e*', 'b*s']);

export const anyScope = (agentId: string): fc.Arbitrary<Scope> =>
  fc.record({
    agentId: fc.constant(agentId),
    toolAllowlist: toolPatterns,
    toolDenylist: toolPatterns,
    skillAllowlist: skillPatterns,
    skillDenylist: skillPatterns,
    capabilityAllowlist: capabilityPatterns,
    capabilityDenylist: capabilityPatterns,
    agentAllowlist: agentPatterns,
    agentDenylist: agentPatterns,
    toolExposure: fc.constantFrom('tools', 'skills', 'mixed'),
    uiVisible: fc.boolean(),
    approvals: fc.array(
      fc.tuple(fc.constantFrom(...TOOL_NAMES, '*_add', '*'), fc.constantFrom('allow', 'ask', 'deny')),
      { maxLength: 2 },
    ),
    parentAgentId: fc.constantFrom(...AGENT_IDS, null),
    delegation: fc.record({ ceiling: fc.constantFrom('self', null), tags: fc.constantFrom(true, false, null) }),
  });

/** Everybody at once: who may message whom is a random graph. */
export const anyScopes = fc.tuple(...AGENT_IDS.map(anyScope));

const anyTool = (name: string): fc.Arbitrary<ScopedTool> =>
  fc.record(
    {
      name: fc.constant(name),
      capabilities: fc.subarray(CAPABILITIES, { maxLength: 2 }),
      source: fc.record({ kind: fc.constantFrom('built-in', 'plugin', 'mcp'), id: fc.constant('some') }),
      risk: fc.constantFrom('read', 'write', 'execute'),
      agents: fc.array(fc.constantFrom(...AGENT_IDS, 'wisp/*', '*'), { maxLength: 2 }),
      operation: fc.constant(name),
      sends: fc.constant(true as const),
    },
    { requiredKeys: ['name', 'capabilities', 'source', 'risk'] },
  );

export const anyTools = fc.tuple(...TOOL_NAMES.map(anyTool));

export const anySubject: fc.Arbitrary<Subject> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...TOOL_NAMES)
      .chain(anyTool)
      .map((tool) => ({ kind: 'tool' as const, tool })),
  },
  fc.record({ kind: fc.constant('unknown-tool' as const), name: fc.constantFrom(...TOOL_NAMES, 'nothing') }),
  fc.record({ kind: fc.constant('skill' as const), plugin: fc.constantFrom(...PLUGINS) }),
  fc.record({ kind: fc.constant('agent' as const), agentId: fc.constantFrom(...AGENT_IDS), uiVisible: fc.boolean() }),
);

export const anyCeiling: fc.Arbitrary<Ceiling> = fc.oneof(
  fc
    .constantFrom(...AGENT_IDS)
    .chain(anyScope)
    .map((scope) => ({ kind: 'agent' as const, scope })),
  fc.constant({ kind: 'mode' as const, mode: 'read-only' as const, sessionId: 's1' }),
);
