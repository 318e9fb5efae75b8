import { createHash } from 'node:crypto';
import type { AgentPatch, AgentTemplate } from '../../../contract/agents.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { resolveChat } from './chat-settings.ts';
import { colorOf } from './color.ts';
import { BUILT_IN, type Entry } from './entries.ts';
import type { Environment } from './environment.ts';
import { hierarchyIssues } from './hierarchy.ts';
import { inheritAll } from './inherit.ts';
import { placeName, placeReference } from './place.ts';
import { REDACTED, redact } from './redact.ts';

export interface Resolution {
  agents: Map<string, ResolvedAgent>;
  templates: AgentTemplate[];
  issues: string[];
}

/** From definitions as written to agents as they work. Given issues, there are no agents. */
export function resolveAll(entries: readonly Entry[], env: Environment): Resolution {
  const { fields, issues } = inheritAll(entries);
  const agents = new Map([...fields].filter(([entry]) => entry.kind === 'agent'));
  const all = [...duplicates(entries), ...redactedKeys(entries), ...issues, ...hierarchyIssues(agents)];
  if (all.length > 0) return { agents: new Map(), templates: [], issues: all };
  const resolved = [...agents].map(([entry, merged]) => resolveAgent(entry, merged, env));
  return {
    agents: new Map(resolved.map((agent) => [agent.agentId, agent])),
    templates: listTemplates(entries),
    issues: [],
  };
}

function duplicates(entries: readonly Entry[]): string[] {
  const first = new Map<string, Entry>();
  return entries.flatMap((entry) => {
    const key = `${entry.kind} ${entry.source === BUILT_IN} ${entry.id}`;
    const earlier = first.get(key);
    if (!earlier) first.set(key, entry);
    return earlier ? [duplicateIssue(entry, earlier)] : [];
  });
}

function duplicateIssue(entry: Entry, earlier: Entry): string {
  const place = placeName(entry.place, `${entry.kind}Id`);
  return `${place} must be unique: ${entry.id} is already defined by ${placeReference(earlier.place)}`;
}

function redactedKeys(entries: readonly Entry[]): string[] {
  return entries
    .filter((entry) => entry.fields.chat?.apiKey === REDACTED)
    .map(
      (entry) => `${placeName(entry.place, 'chat', 'apiKey')} must be a key or \${NAME}, not the sign for a hidden key`,
    );
}

function resolveAgent(entry: Entry, fields: AgentPatch, env: Environment): ResolvedAgent {
  const { chat, reasons } = resolveChat(fields.chat ?? {}, env);
  return {
    agentId: entry.id,
    ...resolveFace(entry.id, fields),
    type: fields.type ?? 'chat',
    parentAgentId: fields.parentAgentId ?? null,
    chat,
    systemPrompt: fields.systemPrompt ?? null,
    ...resolveScope(fields),
    approvals: Object.entries(fields.approvals ?? {}),
    delegation: {
      tags: fields.delegation?.tags ?? null,
      rounds: fields.delegation?.rounds ?? null,
      ceiling: fields.delegation?.ceiling ?? null,
    },
    unavailableReason: reasons.length === 0 ? null : reasons.join(' '),
    version: versionOf(entry),
    source: entry.source,
    definition: redact({ agentId: entry.id, ...entry.fields }),
    resolved: redact({ agentId: entry.id, ...fields }),
  };
}

function resolveFace(agentId: string, fields: AgentPatch) {
  return {
    displayName: fields.displayName ?? nameOf(agentId),
    description: fields.description ?? '',
    color: fields.color ?? colorOf(agentId),
    icon: fields.icon ?? null,
    welcomeMessage: fields.welcomeMessage ?? null,
  };
}

function resolveScope(fields: AgentPatch) {
  return {
    toolAllowlist: fields.toolAllowlist ?? null,
    toolDenylist: fields.toolDenylist ?? null,
    skillAllowlist: fields.skillAllowlist ?? null,
    skillDenylist: fields.skillDenylist ?? null,
    capabilityAllowlist: fields.capabilityAllowlist ?? null,
    capabilityDenylist: fields.capabilityDenylist ?? null,
    agentAllowlist: fields.agentAllowlist ?? null,
    agentDenylist: fields.agentDenylist ?? null,
    toolExposure: fields.toolExposure ?? 'tools',
    uiVisible: fields.uiVisible ?? true,
    apiExposed: fields.apiExposed ?? false,
  };
}

/** `wisp/reading-list` is called Reading List until someone names it. */
function nameOf(agentId: string): string {
  const words = agentId
    .split('/')
    .at(-1)!
    .split(/[-_.]+/)
    .filter(Boolean);
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
}

function versionOf(entry: Entry): string {
  return createHash('sha256').update(JSON.stringify(entry.raw)).digest('hex').slice(0, 16);
}

/** Configured ones first; one of them hides the built-in of the same id. */
function listTemplates(entries: readonly Entry[]): AgentTemplate[] {
  const byId = new Map<string, AgentTemplate>();
  for (const entry of entries) {
    if (entry.kind === 'agent' || byId.has(entry.id)) continue;
    byId.set(entry.id, redact({ templateId: entry.id, ...entry.fields }));
  }
  return [...byId.values()];
}
