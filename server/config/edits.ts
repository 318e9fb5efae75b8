import type { AgentDefinition, AgentPatch } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import { AgentId } from '../../contract/names.ts';
import { say } from '../../contract/texts.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { check } from '../validation.ts';
import type { Entry } from './entries.ts';
import { onlyNamesVariable } from './environment.ts';
import type { Edit } from './home-files.ts';
import { bySource, type HomeFiles, MAIN_FILE, type SourceFile, sourceFile, sourceOf } from './home-files.ts';
import { baseFinder } from './inherit.ts';
import { applyPatch, type JsonObject, unsafeKeys } from './json.ts';
import { type Secret, secretOf, secretsOf, withoutRedacted } from './secrets.ts';

/** A valid configuration as it lies on disk: what every edit starts from. */
export interface EditBase {
  readonly files: HomeFiles;
  readonly entries: readonly Entry[];
  readonly agents: ReadonlyMap<string, ResolvedAgent>;
}

/** New agents get a file of their own. */
export function createEdit(base: EditBase, definition: AgentDefinition): Edit {
  refuseUnsafeKeys(definition);
  const { agentId } = definition;
  refuse(check(AgentId, agentId, { path: ['agentId'] }).issues);
  const taken = [...base.agents.keys()].find((id) => id.toLowerCase() === agentId.toLowerCase());
  if (taken !== undefined) throw new AppError('agent_exists', say('agent_exists', { id: taken }));
  const source = sourceOf(agentId);
  if ([...base.files.agentFiles, ...base.files.brokenFiles].some((file) => file.source === source)) {
    throw new AppError('agent_exists', say('agent_exists.file', { file: source }));
  }
  return { source, before: null, after: toText(definition) };
}

export function updateEdit(base: EditBase, agentId: string, patch: AgentPatch, version?: string): Edit {
  refuseUnsafeKeys(patch);
  const entry = entryOf(base, agentId, version);
  // What the person has begun to write in the file would be lost.
  if (entry.problem !== undefined) refuse([entry.problem]);
  const definition = applyPatch(entry.raw, withoutRedacted(patch));
  return rewrite(base, entry, definition);
}

/** `others`: agents that are deleted together with it, and may therefore use it. */
export function deleteEdit(
  base: EditBase,
  agentId: string,
  version?: string,
  others: ReadonlySet<string> = NOBODY,
): Edit {
  const entry = entryOf(base, agentId, version);
  const users = usersOf(base, entry, others);
  if (users.length > 0) {
    throw new AppError('agent_in_use', say('agent_in_use', { id: agentId, users: users.join(', ') }), {
      issues: users,
    });
  }
  return rewrite(base, entry, null);
}

const NOBODY: ReadonlySet<string> = new Set();

/** The files as they will be, to be judged before anything is written. */
export function afterEdit(files: HomeFiles, edit: Edit): HomeFiles {
  const parsed = edit.after === null ? undefined : sourceFile(edit.source, edit.after);
  const issues = [...files.issues, ...(parsed?.issues ?? [])];
  if (edit.source === MAIN_FILE) return { ...files, main: parsed?.file ?? null, issues };
  const others = files.agentFiles.filter((file) => file.source !== edit.source);
  const agentFiles = parsed ? [...others, parsed.file].sort(bySource) : others;
  const brokenFiles = files.brokenFiles.filter((file) => file.source !== edit.source);
  return { ...files, agentFiles, brokenFiles, issues };
}

function refuseUnsafeKeys(input: object): void {
  refuse(unsafeKeys(input, { path: [] }));
}

function refuse(issues: string[]): void {
  if (issues.length > 0) throw new AppError('configuration_invalid', issues.join('; '), { issues });
}

function entryOf(base: EditBase, agentId: string, version: string | undefined): Entry {
  const entry = base.entries.find(({ kind, id }) => kind === 'agent' && id === agentId);
  if (!entry) throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
  if (version !== undefined && version !== base.agents.get(agentId)?.version) {
    throw new AppError('agent_version_stale', say('agent_version_stale', { id: agentId }));
  }
  return entry;
}

/**
 * A secret that is written out was given for one host; a change must not carry it to another. Every agent is looked at as
 * resolved, because a change of what an agent extends changes where its secrets go.
 */
export function refuseSecretToNewHost(before: EditBase, after: EditBase, sentFor: string | null): void {
  refuse(
    [...after.agents.values()].flatMap((agent) => {
      const earlier = before.agents.get(agent.agentId);
      if (agent.agentId === sentFor || !earlier) return [];
      return writtenSecrets(after, agent)
        .filter((secret) => writtenSecrets(before, earlier).some((known) => isCarriedAway(known, secret)))
        .map(
          ({ type, name }) =>
            `${type}.${name} must be sent again, or set to null, when ${agent.agentId} moves to another host`,
        );
    }),
  );
}

function isCarriedAway(from: Secret, to: Secret): boolean {
  return from.type === to.type && from.name === to.name && from.value === to.value && from.host !== to.host;
}

/** The secrets of an agent as they are written, which a resolved agent does not show. */
function writtenSecrets({ entries }: EditBase, { agentId, resolved }: ResolvedAgent): Secret[] {
  const base = baseFinder(entries);
  return secretsOf(resolved).flatMap((secret) => {
    let entry = entries.find(({ kind, id }) => kind === 'agent' && id === agentId);
    while (entry && secretOf(entry.fields, secret)?.value === undefined) entry = base(entry);
    const value = entry && secretOf(entry.fields, secret)?.value;
    return value && !onlyNamesVariable(value) ? [{ ...secret, value }] : [];
  });
}

function usersOf({ entries, agents }: EditBase, used: Entry, others: ReadonlySet<string>): string[] {
  const base = baseFinder(entries);
  const isKept = ({ kind, id }: Entry) => kind === 'template' || !others.has(id);
  const heirs = entries.filter((entry) => entry !== used && isKept(entry) && base(entry) === used);
  const children = [...agents.values()].filter(
    (agent) => agent.parentAgentId === used.id && !others.has(agent.agentId),
  );
  return [
    ...heirs.map((entry) => `${entry.kind} ${entry.id} extends it`),
    ...children.map((agent) => `agent ${agent.agentId} has it as its parent`),
  ];
}

/** Changes or, given `null`, takes out one definition, and leaves everything else in its file alone. */
function rewrite({ files }: EditBase, entry: Entry, definition: JsonObject | null): Edit {
  const all = [files.main, ...files.agentFiles, ...files.brokenFiles];
  const { source, text: before } = all.find((candidate) => candidate?.source === entry.source)!;
  if (source !== MAIN_FILE) return { source, before, after: definition && toText(definition, before) };
  const main = (files.main as SourceFile).json as JsonObject & { agents: unknown[] };
  const index = entry.place.path.at(-1) as number;
  const agents = main.agents.toSpliced(index, 1, ...(definition ? [definition] : []));
  return { source, before, after: toText({ ...main, agents }, before) };
}

/** Keeps the indentation that a file already has. */
function toText(value: object, like = ''): string {
  const indent = /^\{\r?\n([ \t]+)/.exec(like)?.[1] ?? '  ';
  return `${JSON.stringify(value, null, indent)}\n`;
}
