import { say } from '../../contract/texts.ts';
import type { ScopeDecision } from '../../contract/tools.ts';
import { matchGlob } from './glob.ts';
import { type Ceiling, decide, refuse, type Scope, type ScopedTool } from './scope.ts';

/** All tools there are, and the plugins among them that come with a skill. */
export interface Exposed {
  readonly tools: readonly ScopedTool[];
  /** Ids of plugins. */
  readonly skills: ReadonlySet<string>;
}

export type Way = 'model' | 'skill';

/**
 * Whether an agent may use a tool in one way: as its model's call, or on the command line of a skill. What is offered,
 * what a call is checked against and what `explain` says all come from here.
 */
export function decideCall(
  all: Exposed,
  scope: Scope,
  tool: ScopedTool,
  way: Way,
  ceilings: readonly Ceiling[] = [],
): ScopeDecision {
  const decision = decide(scope, { kind: 'tool', tool }, ceilings);
  if (!decision.allowed) return decision;
  if (way === 'skill')
    return isOnCommandLine(tool) ? decideSkill(all, scope, tool.source.id, ceilings) : noSkill(scope, tool);
  if (scope.toolExposure !== 'skills' || !isOfSkill(all, tool)) return decision;
  const skill = decideSkill(all, scope, tool.source.id, ceilings);
  return skill.allowed ? onlyAsSkill(scope, tool) : skill;
}

/** Whether an agent may use a tool in any way. */
export function decideUse(
  all: Exposed,
  scope: Scope,
  tool: ScopedTool,
  ceilings: readonly Ceiling[] = [],
): ScopeDecision {
  const asTool = decideCall(all, scope, tool, 'model', ceilings);
  if (asTool.allowed || scope.toolExposure !== 'skills') return asTool;
  const asSkill = decideCall(all, scope, tool, 'skill', ceilings);
  return asSkill.allowed ? asSkill : asTool;
}

/** Skills are command lines: they need bash, and at least one tool that may be used with them. */
export function decideSkill(
  all: Exposed,
  scope: Scope,
  plugin: string,
  ceilings: readonly Ceiling[] = [],
): ScopeDecision {
  const decision = decide(scope, { kind: 'skill', plugin }, ceilings);
  if (!decision.allowed) return decision;
  if (!mayRunCommands(all, scope, ceilings)) return refuseSkill(scope, plugin, 'scope.skillNeedsBash');
  const usable = all.tools.some(
    (tool) =>
      tool.source.id === plugin && isOnCommandLine(tool) && decide(scope, { kind: 'tool', tool }, ceilings).allowed,
  );
  return usable ? decision : refuseSkill(scope, plugin, 'scope.skillWithoutTools');
}

function isOfSkill({ skills }: Exposed, tool: ScopedTool): boolean {
  return isOnCommandLine(tool) && skills.has(tool.source.id);
}

/** `parley tool <plugin> <operation>` calls it, also where the plugin has no SKILL.md. */
function isOnCommandLine({ source, operation }: ScopedTool): boolean {
  return operation !== undefined && source.kind !== 'mcp';
}

function mayRunCommands({ tools }: Exposed, scope: Scope, ceilings: readonly Ceiling[]): boolean {
  const bash = tools.find(({ name }) => name === 'bash');
  const policy = scope.approvals.find(([pattern]) => matchGlob(pattern, 'bash'))?.[1];
  return bash !== undefined && policy !== 'deny' && decide(scope, { kind: 'tool', tool: bash }, ceilings).allowed;
}

function refuseSkill({ agentId, toolExposure }: Scope, plugin: string, key: SkillRefusal): ScopeDecision {
  const decided = { list: 'toolExposure', pattern: toolExposure, subject: plugin, of: agentId } as const;
  return refuse(decided, say(key, { agent: agentId, exposure: toolExposure, plugin }));
}

type SkillRefusal = 'scope.skillNeedsBash' | 'scope.skillWithoutTools';

function noSkill({ agentId, toolExposure }: Scope, { name }: ScopedTool): ScopeDecision {
  const decided = { list: 'toolExposure', pattern: toolExposure, subject: name, of: agentId } as const;
  return refuse(decided, say('scope.noCommandLine', { name }));
}

function onlyAsSkill({ agentId }: Scope, { name, source, operation = '' }: ScopedTool): ScopeDecision {
  const decided = { list: 'toolExposure', pattern: 'skills', subject: name, of: agentId } as const;
  return refuse(decided, say('scope.onlyAsSkill', { agent: agentId, name, plugin: source.id, operation }));
}
