import type { ApprovalPolicy, ScopeDecision, ScopeRule } from '../../contract/tools.ts';
import { findGlob } from './glob.ts';
import type { Tool } from './tool.ts';

type Named = 'tool' | 'skill' | 'capability' | 'agent';

/** Of every list: `null` or absent is no restriction, `[]` is nothing. */
type Lists = { readonly [list in `${Named}${'Allowlist' | 'Denylist'}`]?: readonly string[] | null };

/** What of an agent decides about what it may do. */
export interface Scope extends Lists {
  readonly agentId: string;
  readonly toolExposure: 'tools' | 'skills' | 'mixed';
  readonly uiVisible: boolean;
  /** In order: the first that matches decides. */
  readonly approvals: readonly (readonly [pattern: string, policy: ApprovalPolicy])[];
  readonly delegation: { readonly ceiling: 'self' | null };
}

/** What of a tool is decided about. */
export type ScopedTool = Pick<Tool, 'name' | 'capabilities' | 'source' | 'risk' | 'agents'>;

export type Subject =
  | { readonly kind: 'tool'; readonly tool: ScopedTool }
  | { readonly kind: 'unknown-tool'; readonly name: string }
  | { readonly kind: 'skill'; readonly plugin: string }
  | { readonly kind: 'agent'; readonly agentId: string; readonly uiVisible: boolean };

/** What cuts an agent's own scope: the scope of somebody it works for, or the mode of the session it works in. */
export type Ceiling =
  | { readonly kind: 'agent'; readonly scope: Scope }
  | { readonly kind: 'mode'; readonly mode: 'read-only'; readonly sessionId: string };

/**
 * Whether an agent may use a tool or a skill or message an agent, and which rule says so. The only place that decides
 * this: asked when something is offered and again when it is called, whoever calls it in whatever way.
 */
export function decide(scope: Scope, subject: Subject, ceilings: readonly Ceiling[] = []): ScopeDecision {
  const own = decideAlone(scope, subject);
  if (!own.allowed) return own;
  for (const ceiling of ceilings) {
    const cut = underCeiling(scope, subject, ceiling);
    if (cut && !cut.allowed) return cut;
  }
  return own;
}

function decideAlone(scope: Scope, subject: Subject): ScopeDecision {
  switch (subject.kind) {
    case 'tool':
      return decideTool(scope, subject.tool);
    case 'unknown-tool':
      return refuse(rule(scope, 'unknown', subject.name), `There is no tool ${subject.name}.`);
    case 'skill':
      return decideSkill(scope, subject.plugin);
    case 'agent':
      return decideAgent(scope, subject.agentId, subject.uiVisible);
    default:
      return subject satisfies never;
  }
}

function decideTool(scope: Scope, tool: ScopedTool): ScopeDecision {
  if (tool.name.startsWith('system_')) return decideSystemTool(scope, tool);
  const configured = decideConfigured(scope, tool);
  if (!configured.allowed) return configured;
  const named = decideByLists(scope, 'tool', tool.name, tool.name);
  if (!named.allowed) return named;
  const capable = decideCapabilities(scope, tool);
  if (!capable.allowed) return capable;
  return [named, capable, configured].find((decision) => decision.rule.list !== 'none') ?? named;
}

/** The prefix belongs to the server: its own are there for everyone, and nobody else's can pass for one of them. */
function decideSystemTool(scope: Scope, tool: ScopedTool): ScopeDecision {
  const decided = rule(scope, 'system', tool.name);
  return tool.source.kind === 'built-in'
    ? allow(decided, `${tool.name} is built in and there for every agent.`)
    : refuse(decided, `${tool.name} of ${tool.source.id} has a name that is reserved for what is built in.`);
}

function decideConfigured(scope: Scope, tool: ScopedTool): ScopeDecision {
  if (!tool.agents) return unrestricted(scope, tool.name, tool.name);
  const pattern = findGlob(tool.agents, scope.agentId);
  const decided = rule(scope, 'configuration', tool.name, pattern);
  return pattern === undefined
    ? refuse(decided, `${tool.name} is not configured for ${scope.agentId}.`)
    : allow(decided, `${tool.name} is configured for ${scope.agentId} ("${pattern}").`);
}

/** Every capability must be allowed. A tool that declares none is not touched by these lists. */
function decideCapabilities(scope: Scope, tool: ScopedTool): ScopeDecision {
  const decisions = tool.capabilities.map((capability) =>
    decideByLists(scope, 'capability', capability, `the capability ${capability} of ${tool.name}`),
  );
  const deciding = decisions.find((decision) => !decision.allowed) ?? decisions[0];
  return deciding ?? unrestricted(scope, tool.name, tool.name);
}

function decideSkill(scope: Scope, plugin: string): ScopeDecision {
  if (scope.toolExposure === 'tools') {
    const reason = `toolExposure of ${scope.agentId} is "tools", which offers no skills, so not ${plugin} either.`;
    return refuse(rule(scope, 'toolExposure', plugin), reason);
  }
  return decideSkillLists(scope, plugin);
}

function decideSkillLists(scope: Scope, plugin: string): ScopeDecision {
  return decideByLists(scope, 'skill', plugin, `the skill ${plugin}`);
}

function decideAgent(scope: Scope, agentId: string, uiVisible: boolean): ScopeDecision {
  if (agentId === scope.agentId) {
    return refuse(rule(scope, 'self', agentId), `${agentId} cannot message itself.`);
  }
  const listed = decideByLists(scope, 'agent', agentId, `the agent ${agentId}`);
  if (!listed.allowed || uiVisible || scope.agentAllowlist) return listed;
  const reason = `The agent ${agentId} is hidden (uiVisible is false), and no agentAllowlist of ${scope.agentId} names it.`;
  return refuse(rule(scope, 'uiVisible', agentId), reason);
}

/** Deny after allow. `words` is what the name is called in a sentence. */
function decideByLists(scope: Scope, kind: Named, name: string, words: string): ScopeDecision {
  const [allowlist, denylist] = [`${kind}Allowlist`, `${kind}Denylist`] as const;
  const allowing = findGlob(scope[allowlist] ?? [], name);
  if (scope[allowlist] && allowing === undefined) {
    const reason = `${allowlist} of ${scope.agentId} has no pattern that allows ${words}.`;
    return refuse(rule(scope, allowlist, name), reason);
  }
  const forbidding = findGlob(scope[denylist] ?? [], name);
  if (forbidding !== undefined) {
    const reason = `${denylist} of ${scope.agentId} forbids ${words} ("${forbidding}").`;
    return refuse(rule(scope, denylist, name, forbidding), reason);
  }
  if (allowing === undefined) return unrestricted(scope, name, words);
  return allow(
    rule(scope, allowlist, name, allowing),
    `${allowlist} of ${scope.agentId} allows ${words} ("${allowing}").`,
  );
}

/** Null: this ceiling says nothing about such a thing. */
function underCeiling(worker: Scope, subject: Subject, ceiling: Ceiling): ScopeDecision | null {
  switch (ceiling.kind) {
    case 'agent':
      return underAgent(worker, subject, ceiling.scope);
    case 'mode':
      return underMode(subject, ceiling.sessionId);
    default:
      return ceiling satisfies never;
  }
}

/**
 * Whom an agent may message is its own matter: what those it messages may use is cut by the same ceiling. And how tools
 * are exposed to the one it works for is no restriction of what that one may do.
 */
function underAgent(worker: Scope, subject: Subject, boss: Scope): ScopeDecision | null {
  if (subject.kind === 'agent') return null;
  const decision = subject.kind === 'skill' ? decideSkillLists(boss, subject.plugin) : decideAlone(boss, subject);
  return { ...decision, reason: `${worker.agentId} works for ${boss.agentId}, and ${decision.reason}` };
}

function underMode(subject: Subject, sessionId: string): ScopeDecision | null {
  if (subject.kind !== 'tool' || subject.tool.risk === 'read') return null;
  const { name } = subject.tool;
  const decided = { list: 'mode', pattern: null, subject: name, of: sessionId } as const;
  return refuse(decided, `Session ${sessionId} is read-only, and ${name} does more than read.`);
}

function unrestricted(scope: Scope, name: string, words: string): ScopeDecision {
  return allow(rule(scope, 'none', name), `Nothing restricts ${words} for ${scope.agentId}.`);
}

function rule(scope: Scope, list: ScopeRule['list'], subject: string, pattern?: string): ScopeRule {
  return { list, pattern: pattern ?? null, subject, of: scope.agentId };
}

function allow(decided: ScopeRule, reason: string): ScopeDecision {
  return { allowed: true, rule: decided, reason };
}

function refuse(decided: ScopeRule, reason: string): ScopeDecision {
  return { allowed: false, rule: decided, reason };
}
