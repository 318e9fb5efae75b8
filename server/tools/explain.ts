import { AppError } from '../../contract/errors.ts';
import { say, toTextRef } from '../../contract/texts.ts';
import type { ExplainedTool, Explanation } from '../../contract/tools.ts';
import { decideSkill, decideUse } from './exposure.ts';
import { approvalOf, exposedIn, mayUse, type PermissionContext } from './permission-context.ts';
import { followsTags, tagTargets } from './private-reading.ts';
import { counterpartOf, decide, type Scope, type ScopedTool, toOwnTool } from './scope.ts';

/** What an agent may do and why, and what it could have others do. With a tool's name: of all tools only that one. */
export function explain(context: PermissionContext, agentId: string, toolName?: string): Explanation {
  const scope = context.agents.get(agentId);
  if (!scope) throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
  const tools = context.tools.filter((tool) => toolName === undefined || tool.name === toolName);
  const ownsTools = context.ownsTools?.(agentId) ?? false;
  const isUnknown = toolName !== undefined && tools.length === 0 && !ownsTools;
  return {
    agentId,
    fullAuthority: context.tools.some((tool) => tool.name === 'bash' && mayUse(context, scope, tool)),
    tools: isUnknown ? [unknown(scope, toolName)] : tools.map((tool) => explainTool(context, scope, tool)),
    ...(ownsTools && { ownTools: explainOwnTools(context, scope, toolName ?? '*') }),
    skills: context.plugins.map((plugin) => ({ plugin, decision: decideSkill(exposedIn(context), scope, plugin) })),
    agents: explainAgents(context, scope),
    reach: reachOf(context, scope, tools),
  };
}

function unknown(scope: Scope, name: string): ExplainedTool {
  const decision = decide(scope, { kind: 'unknown-tool', name });
  const { reason, reasonText } = decision;
  return { tool: name, decision, approval: 'deny', approvalRule: reason, approvalRuleText: reasonText };
}

function explainTool(context: PermissionContext, scope: Scope, tool: ScopedTool): ExplainedTool {
  const { policy, rule } = approvalOf(context, scope, tool);
  return {
    tool: tool.name,
    decision: decideUse(exposedIn(context), scope, tool),
    approval: policy,
    approvalRule: rule.message,
    approvalRuleText: toTextRef(rule),
  };
}

/** Which tools a program has, and what each can do, is known only when it asks to use one. */
function explainOwnTools(context: PermissionContext, scope: Scope, name: string): Explanation['ownTools'] {
  return OWN_TOOLS.map(({ risk, sends }) => {
    const tool = toOwnTool(scope.agentId, { name, risk, sends });
    const decision = decide(scope, { kind: 'own-tool', tool, counterpart: counterpartOf(context.tools, tool) });
    return { ...explainTool(context, scope, tool), decision, risk, sends };
  });
}

/** What reads on the web is asked about where what reads here is not. */
const OWN_TOOLS = [
  { risk: 'read', sends: false },
  { risk: 'read', sends: true },
  { risk: 'write', sends: false },
  { risk: 'execute', sends: true },
] as const;

/** Lists every agent but this one: no agent can message itself. */
function explainAgents(context: PermissionContext, scope: Scope): Explanation['agents'] {
  const others = [...context.agents.values()].filter(({ agentId }) => agentId !== scope.agentId);
  return others.map(({ agentId, uiVisible }) => ({
    agentId,
    decision: decide(scope, { kind: 'agent', agentId, uiVisible }),
  }));
}

/** By agent, the nearest first: the agents between the asking agent and this one. */
type Trails = ReadonlyMap<string, readonly string[]>;

/** The agents that an agent can delegate to, directly or through others, and the tools that only those may use. */
function reachOf(context: PermissionContext, asker: Scope, tools: readonly ScopedTool[]): Explanation['reach'] {
  const contacts = new Contacts(context);
  const trails = follow(asker, contacts, new Set());
  return {
    agents: [...trails].map(([agentId, via]) => ({ agentId, via: [...via] })),
    tools: reachedTools(context, asker, tools, trails, contacts),
  };
}

/** Breadth first, so that the trail to every agent is the shortest. `blocked` agents pass nothing on. */
function follow(asker: Scope, contacts: Contacts, blocked: ReadonlySet<string>): Trails {
  const found = new Map<string, readonly string[]>();
  const queue: { scope: Scope; trail: readonly string[] }[] = [{ scope: asker, trail: [] }];
  for (const { scope, trail } of queue) {
    if (blocked.has(scope.agentId)) continue;
    for (const contact of contacts.of(scope)) {
      if (contact.agentId === asker.agentId || found.has(contact.agentId)) continue;
      found.set(contact.agentId, trail);
      queue.push({ scope: contact, trail: [...trail, contact.agentId] });
    }
  }
  return found;
}

/**
 * A tool is out of reach behind an agent with a ceiling that may not use it itself, though perhaps not on another way.
 * Most tools are stopped by the same agents, so every set of these is followed once.
 */
function reachedTools(
  context: PermissionContext,
  asker: Scope,
  tools: readonly ScopedTool[],
  trails: Trails,
  contacts: Contacts,
): Explanation['reach']['tools'] {
  const reached = [...trails.keys()].map((agentId) => context.agents.get(agentId)!);
  const trailsPast = new Map<string, Trails>([['', trails]]);
  return tools.flatMap((tool) => {
    if (mayUse(context, asker, tool)) return [];
    const able = new Set(reached.filter((scope) => mayUse(context, scope, tool)).map(({ agentId }) => agentId));
    const stopping = [asker, ...reached].filter(
      ({ agentId, delegation }) => delegation.ceiling === 'self' && !able.has(agentId),
    );
    const through = [...trailsFor(stopping, trailsPast, asker, contacts).keys()].filter((agentId) => able.has(agentId));
    return through.length > 0 ? [{ tool: tool.name, through }] : [];
  });
}

function trailsFor(stopping: readonly Scope[], known: Map<string, Trails>, asker: Scope, contacts: Contacts): Trails {
  const blocked = new Set(stopping.map(({ agentId }) => agentId));
  const key = [...blocked].join(' ');
  const trails = known.get(key) ?? follow(asker, contacts, blocked);
  known.set(key, trails);
  return trails;
}

/** The agents that each agent may delegate to, with `agents_message` or in tags, worked out when first asked for. */
class Contacts {
  readonly #context: PermissionContext;
  readonly #message: ScopedTool | undefined;
  readonly #known = new Map<string, readonly Scope[]>();

  constructor(context: PermissionContext) {
    this.#context = context;
    this.#message = context.tools.find((tool) => tool.name === 'agents_message');
  }

  of(scope: Scope): readonly Scope[] {
    const contacts = this.#known.get(scope.agentId) ?? this.#find(scope);
    this.#known.set(scope.agentId, contacts);
    return contacts;
  }

  #find(scope: Scope): readonly Scope[] {
    const { agents } = this.#context;
    const messages = this.#message !== undefined && mayUse(this.#context, scope, this.#message);
    return messages || followsTags(agents, scope) ? tagTargets(agents, scope) : [];
  }
}
