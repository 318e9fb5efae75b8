import { AgentId } from '../../../contract/names.ts';
import type { Entry } from './entries.ts';
import { agentIdOf, type BrokenFile, MAIN_FILE } from './home-files.ts';

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
