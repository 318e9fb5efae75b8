export interface ToolGroup {
  /** What the names have in common before the first underscore; empty for those that stand alone. */
  readonly prefix: string;
  readonly names: readonly string[];
}

/** Names of tools by what they belong to, both in alphabetical order; those that stand alone come last. */
export function groupTools(names: readonly string[]): ToolGroup[] {
  const sorted = names.toSorted((one, other) => one.localeCompare(other));
  const byPrefix = [...Map.groupBy(sorted, prefixOf)];
  const groups = byPrefix.filter(([, those]) => those.length > 1).map(([prefix, those]) => ({ prefix, names: those }));
  const alone = byPrefix.flatMap(([, those]) => (those.length === 1 ? those : []));
  return alone.length > 0 ? [...groups, { prefix: '', names: alone }] : groups;
}

function prefixOf(name: string): string {
  return name.includes('_') ? name.slice(0, name.indexOf('_')) : name;
}
