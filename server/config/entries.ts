import { AgentDefinition, type AgentPatch } from '../../contract/agents.ts';
import { AgentId } from '../../contract/names.ts';
import type { ConfigPath } from '../validation.ts';
import { agentIdOf, type BrokenFile, MAIN_FILE } from './home-files.ts';
import type { JsonObject } from './json.ts';
import { REDACTED, secretsOf } from './secrets.ts';

/** One definition, and where it was written. */
export interface Entry {
  readonly kind: 'agent' | 'template';
  readonly id: string;
  /** The file, relative to the data folder; `built-in` for templates that come with Parley. */
  readonly source: string;
  readonly place: ConfigPath;
  /** As it stands in the file, which is what a version is made of. */
  readonly raw: JsonObject;
  /** Its fields, validated, without its id. */
  readonly fields: AgentPatch;
  /** Why the definition on disk is not the one in force. */
  readonly problem?: string;
  /** Nothing is known but its name: the agent is listed as unavailable. */
  readonly unusable?: boolean;
}

/** What is wrong with a definition. */
export interface EntryIssue {
  readonly entry: Entry;
  readonly text: string;
  /** It follows from an error elsewhere, which is told by itself. */
  readonly isDerived?: boolean;
}

export const BUILT_IN = 'built-in';

/** The definition that an agent had when its file was last without errors. */
export interface Recalled {
  readonly agent_id: string;
  readonly source: string;
  /** JSON. */
  readonly definition: string;
}

/** None for a definition whose key was written out, since the key is not kept, or that is not valid any more. */
export function toEntry({ agent_id: id, source, definition }: Recalled): Entry[] {
  const parsed = AgentDefinition.safeParse(JSON.parse(definition));
  if (!parsed.success || secretsOf(parsed.data).some(({ value }) => value === REDACTED)) return [];
  const { agentId: _, ...fields } = parsed.data;
  return [{ kind: 'agent', id, source, place: { file: source, path: [] }, raw: fields as JsonObject, fields }];
}

/** The definitions that were in force before, by agent and by file. */
export interface LastGood {
  readonly byId: ReadonlyMap<string, Entry>;
  readonly bySource: ReadonlyMap<string, Entry>;
}

export const NOTHING_KNOWN: LastGood = { byId: new Map(), bySource: new Map() };

export function lastGoodOf(entries: readonly Entry[]): LastGood {
  const good = entries.filter(({ kind, unusable }) => kind === 'agent' && !unusable);
  return {
    byId: new Map(good.map((entry) => [entry.id, entry])),
    bySource: new Map(good.filter(({ source }) => source !== MAIN_FILE).map((entry) => [entry.source, entry])),
  };
}

/** The agent of a file that cannot be used: as it was before, or unavailable. None where its name cannot be told. */
export function entryOfBroken(file: BrokenFile, lastGood: LastGood): Entry[] {
  const problem = file.issues.join('; ');
  const before = lastGood.bySource.get(file.source);
  if (before) return [{ ...before, problem }];
  const id = idIn(file);
  if (id === undefined) return [];
  const place = { file: file.source, path: [] };
  return [unusable({ kind: 'agent', id, source: file.source, place, raw: {}, fields: {} }, problem)];
}

/** The same for a definition that was read, but does not fit to the others. */
export function fallbackFor(entry: Entry, problem: string, lastGood: LastGood): Entry | undefined {
  if (entry.kind === 'template' || entry.unusable) return undefined;
  const before = lastGood.byId.get(entry.id);
  if (before && before.fields !== entry.fields) return { ...before, problem };
  return unusable(entry, problem);
}

/** Listed, but it can do nothing and say nothing. */
function unusable(entry: Entry, problem: string): Entry {
  return { ...entry, fields: { toolAllowlist: [], skillAllowlist: [], agentAllowlist: [] }, problem, unusable: true };
}

/** What the text says, readable or not, goes before the path, as it does in a file that is right. */
function idIn({ source, text }: BrokenFile): string | undefined {
  const named = /"agentId"\s*:\s*"([^"\\]+)"/.exec(text)?.[1];
  return [named, agentIdOf(source)].find((id) => AgentId.safeParse(id).success);
}
