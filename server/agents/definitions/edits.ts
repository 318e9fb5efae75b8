import type { AgentDefinition, AgentPatch } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import { AgentId } from '../../../contract/names.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { Entry } from './entries.ts';
import { onlyNamesVariable } from './environment.ts';
import { type HomeFiles, MAIN_FILE, type SourceFile, sourceFile, sourceOf } from './home-files.ts';
import { baseFinder } from './inherit.ts';
import { check } from './issues.ts';
import { isObject, type JsonObject, unsafeKeys } from './json.ts';
import { applyPatch } from './merge.ts';
import { REDACTED } from './redact.ts';
import type { Edit } from './write-file.ts';

/** A valid configuration as it lies on disk: what every edit starts from. */
export interface Ground {
  readonly files: HomeFiles;
  readonly entries: readonly Entry[];
  readonly agents: ReadonlyMap<string, ResolvedAgent>;
}

/** New agents get a file of their own. */
export function createEdit(ground: Ground, definition: AgentDefinition): Edit {
  refuseUnsafeKeys(definition);
  const { agentId } = definition;
  refuse(check(AgentId, agentId, { path: ['agentId'] }).issues);
  if (ground.agents.has(agentId)) throw new AppError('agent_exists', `There already is an agent ${agentId}.`);
  const source = sourceOf(agentId);
  if (ground.files.agentFiles.some((file) => file.source === source)) {
    throw new AppError('agent_exists', `${source} already holds another agent.`);
  }
  return { source, before: null, after: toText(definition) };
}

export function updateEdit(ground: Ground, agentId: string, patch: AgentPatch, version?: string): Edit {
  refuseUnsafeKeys(patch);
  const entry = entryOf(ground, agentId, version);
  const definition = applyPatch(entry.raw, withoutRedactedKey(patch));
  if (patch.chat?.apiKey === undefined || patch.chat.apiKey === REDACTED) refuseKeyToNewHost(entry.raw, definition);
  return rewrite(ground, entry, definition);
}

export function deleteEdit(ground: Ground, agentId: string, version?: string): Edit {
  const entry = entryOf(ground, agentId, version);
  const users = usersOf(ground, entry);
  if (users.length > 0) {
    throw new AppError('agent_in_use', `${agentId} is still used: ${users.join(', ')}.`, { issues: users });
  }
  return rewrite(ground, entry, null);
}

/** The files as they will be, to be judged before anything is written. */
export function afterEdit(files: HomeFiles, edit: Edit): HomeFiles {
  const parsed = edit.after === null ? undefined : sourceFile(edit.source, edit.after);
  const issues = [...files.issues, ...(parsed?.issues ?? [])];
  if (edit.source === MAIN_FILE) return { ...files, main: parsed?.file ?? null, issues };
  const others = files.agentFiles.filter((file) => file.source !== edit.source);
  const agentFiles = parsed ? [...others, parsed.file].sort(bySource) : others;
  return { ...files, agentFiles, issues };
}

function bySource(a: SourceFile, b: SourceFile): number {
  return a.source < b.source ? -1 : 1;
}

function refuseUnsafeKeys(input: object): void {
  refuse(unsafeKeys(input, { path: [] }));
}

function refuse(issues: string[]): void {
  if (issues.length > 0) throw new AppError('configuration_invalid', issues.join('; '), { issues });
}

function entryOf(ground: Ground, agentId: string, version: string | undefined): Entry {
  const entry = ground.entries.find(({ kind, id }) => kind === 'agent' && id === agentId);
  if (!entry) throw new AppError('agent_not_found', `There is no agent ${agentId}.`);
  if (version !== undefined && version !== ground.agents.get(agentId)?.version) {
    throw new AppError(
      'agent_version_stale',
      `${agentId} was changed since you read it. Look at it again, then repeat.`,
    );
  }
  return entry;
}

/** What clients are shown instead of a key comes back to us when they send a whole form: the key stays. */
function withoutRedactedKey(patch: AgentPatch): AgentPatch {
  if (patch.chat?.apiKey !== REDACTED) return patch;
  const { apiKey: _, ...chat } = patch.chat;
  return { ...patch, chat };
}

/** A key was given for one host; a change must not carry it, unseen, to another. */
function refuseKeyToNewHost(before: JsonObject, after: JsonObject): void {
  const [from, to] = [chatOf(before), chatOf(after)];
  const carried = typeof from.apiKey === 'string' && from.apiKey === to.apiKey && !onlyNamesVariable(from.apiKey);
  if (!carried || hostOf(from) === hostOf(to)) return;
  refuse(['chat.apiKey must be sent again, or be null, when the agent changes to another host']);
}

function chatOf({ chat }: JsonObject): JsonObject {
  return isObject(chat) ? chat : {};
}

function hostOf({ provider, baseUrl }: JsonObject): string {
  if (typeof baseUrl !== 'string') return String(provider ?? 'openai');
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

function usersOf({ entries, agents }: Ground, used: Entry): string[] {
  const base = baseFinder(entries);
  const heirs = entries.filter((entry) => entry !== used && base(entry) === used);
  const children = [...agents.values()].filter((agent) => agent.parentAgentId === used.id);
  return [
    ...heirs.map((entry) => `${entry.kind} ${entry.id} extends it`),
    ...children.map((agent) => `agent ${agent.agentId} has it as parent`),
  ];
}

/** Changes or, given `null`, takes out one definition, and leaves everything else in its file alone. */
function rewrite({ files }: Ground, entry: Entry, definition: JsonObject | null): Edit {
  const file = [files.main, ...files.agentFiles].find((candidate) => candidate?.source === entry.source)!;
  const { source, text: before } = file;
  if (source !== MAIN_FILE) return { source, before, after: definition && toText(definition, before) };
  const main = file.json as JsonObject & { agents: unknown[] };
  const index = entry.place.path.at(-1) as number;
  const agents = main.agents.toSpliced(index, 1, ...(definition ? [definition] : []));
  return { source, before, after: toText({ ...main, agents }, before) };
}

/** Keeps the indentation that a file already has. */
function toText(value: object, like = ''): string {
  const indent = /^\{\r?\n([ \t]+)/.exec(like)?.[1] ?? '  ';
  return `${JSON.stringify(value, null, indent)}\n`;
}
