import { say, type Text, toTextRef } from '../../contract/texts.ts';
import type { ApprovalPolicy, ScopeDecision, ScopeRule, ToolRisk } from '../../contract/tools.ts';
import { findGlob, matchGlob } from './glob.ts';
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
  readonly parentAgentId?: string | null;
  /** `tags`: whether its `<delegate>` tags are followed. Absent or null: when it has children. */
  readonly delegation: { readonly ceiling: 'self' | null; readonly tags?: boolean | null };
}

/** What of a tool is decided about. */
export type ScopedTool = Pick<
  Tool,
  'name' | 'capabilities' | 'source' | 'risk' | 'agents' | 'operation' | 'sends' | 'alwaysAsks'
>;

export type Subject =
  | { readonly kind: 'tool'; readonly tool: ScopedTool }
  | { readonly kind: 'own-tool'; readonly tool: ScopedTool; readonly counterpart: ScopedTool | undefined }
  | { readonly kind: 'unknown-tool'; readonly name: string }
  | { readonly kind: 'skill'; readonly plugin: string }
  | { readonly kind: 'agent'; readonly agentId: string; readonly uiVisible: boolean };

/** What limits an agent's own scope: the scope of an agent it works for, or the mode of the session it works in. */
export type Ceiling =
  | { readonly kind: 'agent'; readonly scope: Scope; readonly ownsTools?: boolean }
  | { readonly kind: 'mode'; readonly mode: 'read-only'; readonly sessionId: string };

/**
 * Whether an agent may use a tool or a skill or message an agent, and which rule says so. The only place that decides
 * this: asked when something is offered and again when it is called, for every caller and every way of calling.
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
    case 'own-tool':
      return decideOwnTool(scope, subject.tool);
    case 'unknown-tool':
      return refuse(rule(scope, 'unknown', subject.name), say('scope.unknownTool', { name: subject.name }));
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
  if (isForMessaging(tool) && scope.agentAllowlist?.length === 0) return messagesNobody(scope, tool);
  const named = decideByLists(scope, 'tool', tool.name);
  if (!named.allowed) return named;
  const capable = decideCapabilities(scope, tool);
  if (!capable.allowed) return capable;
  return [named, capable, configured].find((decision) => decision.rule.list !== 'none') ?? named;
}

/** The prefix belongs to the server: every agent has its tools, and no tool from elsewhere can pass for one of them. */
function decideSystemTool(scope: Scope, tool: ScopedTool): ScopeDecision {
  const decided = rule(scope, 'system', tool.name);
  return tool.source.kind === 'built-in'
    ? allow(decided, say('scope.system', { name: tool.name }))
    : refuse(decided, say('scope.reserved', { name: tool.name, source: tool.source.id }));
}

function decideConfigured(scope: Scope, tool: ScopedTool): ScopeDecision {
  if (!tool.agents) return unrestricted(scope, tool.name);
  const pattern = findGlob(tool.agents, scope.agentId);
  const decided = rule(scope, 'configuration', tool.name, pattern);
  const values = { name: tool.name, agent: scope.agentId };
  return pattern === undefined
    ? refuse(decided, say('scope.notConfigured', values))
    : allow(decided, say('scope.configured', { ...values, pattern }));
}

/**
 * A tool that an agent runs itself is named by the agent's program. Allowlists name Parley's tools and capabilities and
 * say nothing about it; a denylist blocks whatever has the name.
 */
function decideOwnTool(scope: Scope, tool: ScopedTool): ScopeDecision {
  const { name } = tool;
  if (name.startsWith('system_')) return decideSystemTool(scope, tool);
  const denied = decideByLists({ ...scope, toolAllowlist: null }, 'tool', name);
  return denied.allowed
    ? allow(rule(scope, 'none', name), say('scope.ownTool', { name, agent: scope.agentId }))
    : denied;
}

/** A tool that an agent runs itself. What can execute commands can send. */
export function toOwnTool(agentId: string, tool: { name: string; risk: ToolRisk; sends?: boolean }): ScopedTool {
  const { name, risk } = tool;
  const sends = tool.sends || risk === 'execute' ? { sends: true as const } : {};
  return { name, risk, capabilities: [], source: { kind: 'agent', id: agentId }, ...sends };
}

/** Parley's tool that can do as much as a tool that an agent runs itself. */
export function counterpartOf<T extends ScopedTool>(tools: readonly T[], { risk, sends }: ScopedTool): T | undefined {
  const wanted = sends && risk === 'read' ? 'web_fetch' : COUNTERPARTS[risk];
  return tools.find(({ name }) => name === wanted);
}

const COUNTERPARTS = { read: 'files_read', write: 'files_write', execute: 'bash' } as const satisfies Record<
  ToolRisk,
  string
>;

/** The tools that list agents and message them. */
function isForMessaging({ source }: ScopedTool): boolean {
  return source.kind === 'built-in' && source.id === 'agents';
}

function messagesNobody(scope: Scope, { name }: ScopedTool): ScopeDecision {
  return refuse(rule(scope, 'agentAllowlist', name), say('scope.noAgents', { agent: scope.agentId, name }));
}

/** Every capability must be allowed. A tool that declares none is not touched by these lists. */
function decideCapabilities(scope: Scope, tool: ScopedTool): ScopeDecision {
  const decisions = tool.capabilities.map((capability) => decideByLists(scope, 'capability', capability, tool.name));
  const deciding = decisions.find((decision) => !decision.allowed) ?? decisions[0];
  return deciding ?? unrestricted(scope, tool.name);
}

/** Whether an agent's lists leave room for any tool of an MCP server. Its tools need not be known yet. */
export function mightUseServer(scope: Scope, server: string, agents: readonly string[] | null | undefined): boolean {
  if (agents && findGlob(agents, scope.agentId) === undefined) return false;
  if (!decideByLists(scope, 'capability', `mcp.${server}`).allowed) return false;
  const [prefix, every] = [`${server}__`, [`${server}__*`, '*']];
  if (scope.toolDenylist?.some((pattern) => every.includes(pattern))) return false;
  return scope.toolAllowlist?.some((pattern) => mightMatch(pattern, prefix)) ?? true;
}

/** Whether a pattern matches any name that begins with the prefix. */
function mightMatch(pattern: string, prefix: string): boolean {
  const literal = pattern.split('*', 1)[0]!;
  return literal.startsWith(prefix) || (pattern.includes('*') && prefix.startsWith(literal));
}

function decideSkill(scope: Scope, plugin: string): ScopeDecision {
  if (scope.toolExposure === 'tools')
    return refuse(rule(scope, 'toolExposure', plugin), say('scope.noSkills', { agent: scope.agentId }));
  return decideSkillLists(scope, plugin);
}

function decideSkillLists(scope: Scope, plugin: string): ScopeDecision {
  return decideByLists(scope, 'skill', plugin);
}

function decideAgent(scope: Scope, agentId: string, uiVisible: boolean): ScopeDecision {
  if (agentId === scope.agentId) return refuse(rule(scope, 'self', agentId), say('scope.self', { agent: agentId }));
  const listed = decideByLists(scope, 'agent', agentId);
  if (!listed.allowed || uiVisible || naming(scope.agentAllowlist, agentId)) return listed;
  return refuse(rule(scope, 'uiVisible', agentId), say('scope.hidden', { name: agentId, agent: scope.agentId }));
}

/** The pattern of a list that names something hidden. A pattern of nothing but `*` names nothing. */
function naming(list: readonly string[] | null | undefined, name: string): string | undefined {
  return list?.find((pattern) => !/^\*+$/.test(pattern) && matchGlob(pattern, name));
}

/**
 * Whether an agent may use the sessions tools on sessions outside its turn's own tree: a pattern in its `toolAllowlist`
 * that begins with `sessions_` must cover the tool, and so must one of every agent whose ceiling applies.
 */
export function reachesAllSessions(scope: Scope, tool: string, ceilings: readonly Ceiling[] = []): boolean {
  const scopes = [scope, ...ceilings.flatMap((ceiling) => (ceiling.kind === 'agent' ? [ceiling.scope] : []))];
  return scopes.every(({ toolAllowlist }) =>
    toolAllowlist?.some((pattern) => pattern.startsWith('sessions_') && matchGlob(pattern, tool)),
  );
}

/** Deny after allow. A capability is needed by a `tool`. */
function decideByLists(scope: Scope, kind: Named, name: string, tool?: string): ScopeDecision {
  const [allowlist, denylist] = [`${kind}Allowlist`, `${kind}Denylist`] as const;
  const about = { agent: scope.agentId, name, tool };
  const allowing = findGlob(scope[allowlist] ?? [], name);
  if (scope[allowlist] && allowing === undefined)
    return refuse(rule(scope, allowlist, name), notListed({ ...about, list: allowlist }));
  const pattern = findGlob(scope[denylist] ?? [], name);
  if (pattern !== undefined)
    return refuse(rule(scope, denylist, name, pattern), blocked({ ...about, list: denylist, pattern }));
  if (allowing === undefined) return unrestricted(scope, name);
  return allow(rule(scope, allowlist, name, allowing), allowed({ ...about, list: allowlist, pattern: allowing }));
}

interface Listing {
  list: string;
  agent: string;
  name: string;
  tool: string | undefined;
}

function notListed({ tool, ...listing }: Listing): Text {
  return tool === undefined ? say('scope.notListed', listing) : say('scope.notListed.capability', { ...listing, tool });
}

function blocked({ tool, ...listing }: Listing & { pattern: string }): Text {
  return tool === undefined ? say('scope.blocked', listing) : say('scope.blocked.capability', { ...listing, tool });
}

function allowed({ tool, ...listing }: Listing & { pattern: string }): Text {
  return tool === undefined ? say('scope.allowed', listing) : say('scope.allowed.capability', { ...listing, tool });
}

/** Null: this ceiling says nothing about such a thing. */
function underCeiling(worker: Scope, subject: Subject, ceiling: Ceiling): ScopeDecision | null {
  switch (ceiling.kind) {
    case 'agent':
      return underAgent(worker, subject, ceiling);
    case 'mode':
      return underMode(subject, ceiling.sessionId);
    default:
      return ceiling satisfies never;
  }
}

/**
 * A ceiling does not limit which agents a delegate may message: what those may use is cut by the same ceiling. How
 * tools are exposed to the caller is no restriction of what the caller may do.
 */
function underAgent(
  worker: Scope,
  subject: Subject,
  { scope: caller, ownsTools }: CallerCeiling,
): ScopeDecision | null {
  if (subject.kind === 'agent') return null;
  if (subject.kind === 'own-tool' && !ownsTools) return underPlainAgent(worker, subject, caller);
  const decision = subject.kind === 'skill' ? decideSkillLists(caller, subject.plugin) : decideAlone(caller, subject);
  const reason = { ...decision.reasonText, message: decision.reason };
  const text = say('scope.ceiling', { worker: worker.agentId, caller: caller.agentId, reason });
  return { ...decision, ...reasonOf(text) };
}

type CallerCeiling = Extract<Ceiling, { kind: 'agent' }>;

/** An agent that runs no tools itself lends its delegate's tool no more than Parley's tool of the same power. */
function underPlainAgent(worker: Scope, { tool, counterpart }: OwnToolSubject, caller: Scope): ScopeDecision {
  const decision = counterpart
    ? decideTool(caller, counterpart)
    : refuse(rule(caller, 'unknown', tool.name), say('scope.noCounterpart', { risk: tool.risk }));
  const reason = { ...decision.reasonText, message: decision.reason };
  const values = { worker: worker.agentId, caller: caller.agentId, name: tool.name, reason };
  return { ...decision, ...reasonOf(say('scope.ownCeiling', values)) };
}

type OwnToolSubject = Extract<Subject, { kind: 'own-tool' }>;

function underMode(subject: Subject, sessionId: string): ScopeDecision | null {
  if ((subject.kind !== 'tool' && subject.kind !== 'own-tool') || subject.tool.risk === 'read') return null;
  const { name } = subject.tool;
  const decided = { list: 'mode', pattern: null, subject: name, of: sessionId } as const;
  return refuse(decided, say('scope.readOnly', { id: sessionId, name }));
}

function unrestricted(scope: Scope, name: string): ScopeDecision {
  return allow(rule(scope, 'none', name), say('scope.unrestricted', { name, agent: scope.agentId }));
}

function rule(scope: Scope, list: ScopeRule['list'], subject: string, pattern?: string): ScopeRule {
  return { list, pattern: pattern ?? null, subject, of: scope.agentId };
}

function allow(decided: ScopeRule, why: Text): ScopeDecision {
  return { allowed: true, rule: decided, ...reasonOf(why) };
}

export function refuse(decided: ScopeRule, why: Text): ScopeDecision {
  return { allowed: false, rule: decided, ...reasonOf(why) };
}

function reasonOf(why: Text): Pick<ScopeDecision, 'reason' | 'reasonText'> {
  return { reason: why.message, reasonText: toTextRef(why) };
}
