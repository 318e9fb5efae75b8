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
