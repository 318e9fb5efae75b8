import type { AgentPatch } from '../../contract/agents.ts';
import { configPathName, didYouMean } from '../validation.ts';
import { BUILT_IN, type Entry, type EntryIssue } from './entries.ts';
import { mergeOver } from './json.ts';
import { secretOf, secretsOf } from './secrets.ts';

/** The fields of every entry with what it extends laid under them. Empty when there are issues. */
export function inheritAll(entries: readonly Entry[]): { fields: Map<Entry, AgentPatch>; issues: EntryIssue[] } {
  const base = baseFinder(entries);
  const issues = [...unknownBases(entries, base), ...unusableBases(entries, base), ...cyclicBases(entries, base)];
  if (issues.length > 0) return { fields: new Map(), issues };
  const known = new Map<Entry, AgentPatch>();
  const fields = new Map(entries.map((entry) => [entry, inherited(entry, base, known)]));
  const moved = entries.flatMap((entry) => movedSecrets(entry, base, fields));
  return moved.length > 0 ? { fields: new Map(), issues: moved } : { fields, issues };
}

/** A secret belongs to the host that it was given for: what is inherited goes there and nowhere else. */
function movedSecrets(
  entry: Entry,
  base: (entry: Entry) => Entry | undefined,
  fields: Map<Entry, AgentPatch>,
): EntryIssue[] {
  return secretsOf(fields.get(entry) ?? {}).flatMap((secret) => {
    if (!secret.value || secretOf(entry.fields, secret)?.value) return [];
    let holder = base(entry);
    while (holder && !secretOf(holder.fields, secret)?.value) holder = base(holder);
    if (!holder || secretOf(fields.get(holder) ?? {}, secret)?.host === secret.host) return [];
    const place = configPathName(entry.place, secret.type, secret.name);
    const text = `${place} is required: the key of ${holder.id} is for another host and is not inherited`;
    return [{ entry, text }];
  });
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

function unknownBases(entries: readonly Entry[], base: (entry: Entry) => Entry | undefined): EntryIssue[] {
  const ids = entries.map((entry) => entry.id);
  return entries
    .filter((entry) => typeof entry.fields.extends === 'string' && !base(entry))
    .map((entry) => {
      const id = entry.fields.extends!;
      const text = `${configPathName(entry.place, 'extends')} names a template or agent that does not exist: ${id}${didYouMean(id, ids)}`;
      return { entry, text };
    });
}

/** What an agent inherits may be what restricts it, so nothing is inherited from a definition that is not known. */
function unusableBases(entries: readonly Entry[], base: (entry: Entry) => Entry | undefined): EntryIssue[] {
  return entries
    .filter((entry) => base(entry)?.unusable)
    .map((entry) => {
      const text = `${configPathName(entry.place, 'extends')} names ${entry.fields.extends}, whose own definition has errors`;
      return { entry, text, isDerived: true };
    });
}

function cyclicBases(entries: readonly Entry[], base: (entry: Entry) => Entry | undefined): EntryIssue[] {
  return cycles(entries, base).map((cycle) => {
    const names = cycle.map((entry) => entry.id);
    const entry = cycle[0]!;
    return { entry, text: `${configPathName(entry.place, 'extends')} forms a cycle: ${spellCycle(names)}` };
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

/** Every cycle of a graph in which each node points to at most one other, once each, from its first member on. */
export function cycles<T>(nodes: Iterable<T>, next: (node: T) => T | undefined): T[][] {
  const settled = new Set<T>();
  const found: T[][] = [];
  for (const start of nodes) {
    const path = walk(start, next, settled);
    const again = path.closing === undefined ? -1 : path.nodes.indexOf(path.closing);
    if (again >= 0) found.push(path.nodes.slice(again));
    for (const node of path.nodes) settled.add(node);
  }
  return found;
}

export function spellCycle(names: readonly string[]): string {
  return [...names, names[0]].join(' -> ');
}

/** `closing` is where the walk would go next; it is in `nodes` exactly when the walk came back to itself. */
function walk<T>(start: T, next: (node: T) => T | undefined, settled: Set<T>): { nodes: T[]; closing: T | undefined } {
  const seen = new Set<T>();
  let node: T | undefined = start;
  while (node !== undefined && !settled.has(node) && !seen.has(node)) {
    seen.add(node);
    node = next(node);
  }
  return { nodes: [...seen], closing: node };
}
