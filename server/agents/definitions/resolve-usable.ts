import { fallbackFor, type LastGood } from './broken-files.ts';
import type { Entry, EntryIssue } from './entries.ts';
import type { Environment } from './environment.ts';
import { type Resolution, resolveAll } from './resolve.ts';

export interface UsableResolution extends Omit<Resolution, 'issues'> {
  /** With what stands in for the definitions that cannot be used. */
  entries: Entry[];
  issues: string[];
}

/** Resolves what can be resolved. A definition that does not fit is replaced, and takes no other with it. */
export function resolveUsable(given: readonly Entry[], env: Environment, lastGood: LastGood): UsableResolution {
  const first = [...given];
  let entries = first;
  const issues: string[] = [];
  for (;;) {
    const { issues: found, ...resolution } = resolveAll(entries, env);
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
