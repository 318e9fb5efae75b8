import { createHash } from 'node:crypto';
import path from 'node:path';
import type { AgentPatch, AgentTemplate } from '../../contract/agents.ts';
import { say, type Text, toTextRef } from '../../contract/texts.ts';
import { kindOf } from '../agents/kinds.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { configPathName, configPathReference, didYouMean } from '../validation.ts';
import { workspaceProblem } from '../workspaces/overlap.ts';
import { nameAgents } from './display-names.ts';
import { BUILT_IN, type Entry, type EntryIssue, fallbackFor, type LastGood } from './entries.ts';
import type { Environment } from './environment.ts';
import { cycles, inheritAll, spellCycle } from './inherit.ts';
import { REDACTED, redact, secretsOf } from './secrets.ts';

export interface Resolution {
  agents: Map<string, ResolvedAgent>;
  templates: AgentTemplate[];
  issues: EntryIssue[];
  /** By agent: why it may not have the name that its definition gives. It is listed, and does not answer. */
  nameProblems: Map<string, string>;
}

/** From definitions as written to agents as they work. Given issues, there are no agents. */
export function resolveAll(home: string, entries: readonly Entry[], env: Environment): Resolution {
  const { fields, issues } = inheritAll(entries);
  const agents = new Map([...fields].filter(([entry]) => entry.kind === 'agent'));
  const places = [...agents].flatMap(([entry, { workspace }]) => placeIssues(home, entry, workspace?.folder));
  const all = [...duplicates(entries), ...redactedSecrets(entries), ...issues, ...hierarchyIssues(agents), ...places];
  if (all.length > 0) return { agents: new Map(), templates: [], issues: all, nameProblems: new Map() };
  const { names, problems } = nameAgents(agents);
  const resolved = [...agents].map(([entry, merged]) =>
    resolveAgent(entry, merged, names.get(entry)!, problems.get(entry), env),
  );
  return {
    agents: new Map(resolved.map((agent) => [agent.agentId, agent])),
    templates: listTemplates(entries),
    issues: [],
    nameProblems: new Map([...problems].map(([{ id }, problem]) => [id, problem])),
  };
}

function placeIssues(home: string, entry: Entry, folder: string | null | undefined): EntryIssue[] {
  const problem = folder && workspaceProblem(home, path.resolve(home, folder));
  if (!problem) return [];
  return [
    { entry, text: `${configPathName(entry.place, 'workspace', 'folder')} ${problem}, where agents must not work` },
  ];
}

function duplicates(entries: readonly Entry[]): EntryIssue[] {
  const first = new Map<string, Entry>();
  return entries.flatMap((entry) => {
    // An agent is a file and a folder, and some disks do not tell Twin from twin.
    const id = entry.kind === 'agent' ? entry.id.toLowerCase() : entry.id;
    const key = `${entry.kind} ${entry.source === BUILT_IN} ${id}`;
    const earlier = first.get(key);
    if (!earlier) first.set(key, entry);
    return earlier ? [{ entry, text: duplicateIssue(entry, earlier) }] : [];
  });
}

function duplicateIssue(entry: Entry, earlier: Entry): string {
  const place = configPathName(entry.place, `${entry.kind}Id`);
  const other = entry.id === earlier.id ? entry.id : `${earlier.id}, which differs only in case,`;
  return `${place} must be unique: ${other} is already defined by ${configPathReference(earlier.place)}`;
}

function redactedSecrets(entries: readonly Entry[]): EntryIssue[] {
  return entries.flatMap((entry) =>
    secretsOf(entry.fields)
      .filter(({ value }) => value === REDACTED)
      .map(({ type, name }) => {
        const place = configPathName(entry.place, type, name);
        return { entry, text: `${place} must be a key or \${NAME}, not the placeholder for a hidden key` };
      }),
  );
}

function resolveAgent(
  entry: Entry,
  fields: AgentPatch,
  displayName: string,
  nameProblem: string | undefined,
  env: Environment,
): ResolvedAgent {
  const kind = kindOf(fields);
  const { settings, problems } = kind.resolve(fields[kind.type] ?? {}, env);
  const missing = joinReasons(problems);
  const isTranslatable = !entry.unusable && nameProblem === undefined;
  const words = [nameProblem && `${nameProblem}.`, missing?.message].filter(Boolean).join(' ');
  return {
    agentId: entry.id,
    displayName,
    ...resolveFace(fields),
    kind: kind.kind,
    type: kind.type,
    settings,
    ...kind.describe(settings),
    parentAgentId: fields.parentAgentId ?? null,
    systemPrompt: fields.systemPrompt ?? null,
    ...resolveScope(fields),
    approvals: Object.entries(fields.approvals ?? {}),
    workspace: fields.workspace ?? null,
    delegation: {
      tags: fields.delegation?.tags ?? null,
      rounds: fields.delegation?.rounds ?? null,
      ceiling: fields.delegation?.ceiling ?? null,
    },
    unavailableReason: entry.unusable ? (entry.problem ?? '') : words || null,
    unavailableText: isTranslatable && missing ? toTextRef(missing) : null,
    problem: entry.problem ?? null,
    version: versionOf(entry),
    source: entry.source,
    definition: redact({ agentId: entry.id, ...entry.fields }),
    resolved: redact({ agentId: entry.id, ...fields }),
  };
}

/** Several things that are missing, as one text. */
function joinReasons([first, second, third]: readonly Text[]): Text | null {
  if (!first || !second) return first ?? null;
  return third ? say('unavailable.three', { first, second, third }) : say('unavailable.two', { first, second });
}

function resolveFace(fields: AgentPatch) {
  return {
    description: fields.description ?? '',
    color: fields.color ?? null,
    icon: fields.icon ?? null,
    welcomeMessage: fields.welcomeMessage ?? null,
    starters: fields.starters ?? [],
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

/** Parents that are not there, and agents that are their own ancestors. */
function hierarchyIssues(agents: ReadonlyMap<Entry, AgentPatch>): EntryIssue[] {
  const byId = new Map([...agents.keys()].map((entry) => [entry.id, entry]));
  const parentId = (entry: Entry) => agents.get(entry)?.parentAgentId ?? undefined;
  const orphans = [...agents.keys()].filter((entry) => parentId(entry) !== undefined && !byId.has(parentId(entry)!));
  return [
    ...orphans.map((entry) => orphanIssue(entry, parentId(entry)!, byId.keys())),
    ...cycles(agents.keys(), (entry) => byId.get(parentId(entry) ?? '')).map(cycleIssue),
  ];
}

function orphanIssue(entry: Entry, parent: string, ids: Iterable<string>): EntryIssue {
  const text = `${configPathName(entry.place, 'parentAgentId')} names an agent that does not exist: ${parent}${didYouMean(parent, ids)}`;
  return { entry, text };
}

function cycleIssue(cycle: Entry[]): EntryIssue {
  const names = cycle.map((entry) => entry.id);
  const entry = cycle[0]!;
  return { entry, text: `${configPathName(entry.place, 'parentAgentId')} forms a cycle: ${spellCycle(names)}` };
}

interface UsableResolution extends Omit<Resolution, 'issues'> {
  /** With what stands in for the definitions that cannot be used. */
  entries: Entry[];
  issues: string[];
}

/** Resolves what can be resolved. A definition that does not fit is replaced, and takes no other with it. */
export function resolveUsable(
  home: string,
  given: readonly Entry[],
  env: Environment,
  lastGood: LastGood,
): UsableResolution {
  const first = [...given];
  let entries = first;
  const issues: string[] = [];
  for (;;) {
    const { issues: found, ...resolution } = resolveAll(home, entries, env);
    if (found.length === 0) return { ...resolution, entries, issues };
    const isNew = (issue: EntryIssue) => !issue.isDerived && (entries === first || !lostItsBase(issue, given));
    issues.push(...found.filter(isNew).map(({ text }) => text));
    entries = withoutFaulty(entries, found, lastGood);
  }
}

/** What it extends was there, and has been taken out for an error of its own. */
function lostItsBase({ entry }: EntryIssue, given: readonly Entry[]): boolean {
  return given.some(({ id }) => id === entry.fields.extends);
}

function withoutFaulty(entries: readonly Entry[], found: readonly EntryIssue[], lastGood: LastGood): Entry[] {
  const problems = new Map(found.map(({ entry, text }) => [keyOf(entry), text]));
  const replaced = new Set<string>();
  return entries.flatMap((entry) => {
    const problem = problems.get(keyOf(entry));
    if (problem === undefined) return [entry];
    // Of two definitions of one agent neither is better: one entry stands in for both.
    if (replaced.has(keyOf(entry))) return [];
    replaced.add(keyOf(entry));
    return fallbackFor(entry, problem, lastGood) ?? [];
  });
}

function keyOf({ kind, id, source }: Entry): string {
  return kind === 'agent' ? `agent ${id.toLowerCase()}` : `template ${source} ${id}`;
}
