import type { AgentPatch } from '../../../contract/agents.ts';
import { cycles, spellCycle } from './cycles.ts';
import { BUILT_IN, type Entry } from './entries.ts';
import { mergeOver } from './merge.ts';
import { placeName } from './place.ts';
import { didYouMean } from './suggest.ts';

/** The fields of every entry with what it extends laid under them. Empty when there are issues. */
export function inheritAll(entries: readonly Entry[]): { fields: Map<Entry, AgentPatch>; issues: string[] } {
  const base = baseFinder(entries);
  const issues = [...unknownBases(entries, base), ...cyclicBases(entries, base)];
  if (issues.length > 0) return { fields: new Map(), issues };
  const known = new Map<Entry, AgentPatch>();
  return { fields: new Map(entries.map((entry) => [entry, inherited(entry, base, known)])), issues };
}

/** What an entry extends. What was configured wins over what is built in, and an id never means the entry itself. */
export function baseFinder(entries: readonly Entry[]): (entry: Entry) => Entry | undefined {
  const byRank = [
    byId(entries.filter((entry) => entry.kind === 'template' && entry.source !== BUILT_IN)),
    byId(entries.filter((entry) => entry.kind === 'agent')),
    byId(entries.filter((entry) => entry.source === BUILT_IN)),
  ];
  return (entry) => {
    const id = entry.fields.extends;
    if (id === null || id === undefined) return undefined;
    const found = byRank.map((ids) => ids.get(id)).filter((candidate) => candidate !== undefined);
    return found.find((candidate) => candidate !== entry) ?? found[0];
  };
}

function byId(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

function unknownBases(entries: readonly Entry[], base: (entry: Entry) => Entry | undefined): string[] {
  const ids = entries.map((entry) => entry.id);
  return entries
    .filter((entry) => typeof entry.fields.extends === 'string' && !base(entry))
    .map((entry) => {
      const id = entry.fields.extends!;
      return `${placeName(entry.place, 'extends')} names no template or agent: ${id}${didYouMean(id, ids)}`;
    });
}

function cyclicBases(entries: readonly Entry[], base: (entry: Entry) => Entry | undefined): string[] {
  return cycles(entries, base).map((cycle) => {
    const names = cycle.map((entry) => entry.id);
    return `${placeName(cycle[0]!.place, 'extends')} makes a cycle: ${spellCycle(names)}`;
  });
}

/** Walks up to the first ancestor that is known, and down again: every entry is merged once. */
function inherited(entry: Entry, base: (entry: Entry) => Entry | undefined, known: Map<Entry, AgentPatch>): AgentPatch {
  const lineage: Entry[] = [];
  for (let next: Entry | undefined = entry; next && !known.has(next); next = base(next)) lineage.push(next);
  for (const next of lineage.reverse()) {
    const under = known.get(base(next) ?? next) ?? {};
    const { extends: _, ...fields } = mergeOver(under, next.fields);
    known.set(next, fields);
  }
  return known.get(entry)!;
}
