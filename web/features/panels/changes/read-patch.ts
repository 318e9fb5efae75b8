/** One line of a change, with its number before and after. */
export interface PatchLine {
  readonly kind: 'hunk' | 'added' | 'removed' | 'same' | 'note';
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** The patch of each file, by its path after the change; of a deleted one, before it. */
export function sectionsOf(patch: string): ReadonlyMap<string, string> {
  const sections = patch.split(/^(?=diff --git )/m);
  return new Map(sections.flatMap((section) => namesOf(section).map((name) => [name, section] as const)));
}

function namesOf(section: string): string[] {
  return Array.from(section.matchAll(/^(?:\+\+\+ b\/|--- a\/|rename to )(.*)$/gm), ([, name]) =>
    name!.replace(/\t$/, ''),
  );
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of one file, without what git writes before the first of them. */
export function linesOf(section: string): readonly PatchLine[] {
  const lines: PatchLine[] = [];
  let [before, after] = [0, 0];
  let hasBegun = false;
  for (const line of withoutLast(section.split('\n'))) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      hasBegun = true;
      lines.push({ kind: 'hunk', text: line, before: null, after: null });
    } else if (hasBegun) {
      const read = readLine(line, before, after);
      lines.push(read);
      if (read.before !== null) before += 1;
      if (read.after !== null) after += 1;
    }
  }
  return lines;
}

function readLine(line: string, before: number, after: number): PatchLine {
  const text = line.slice(1);
  switch (line[0]) {
    case '+':
      return { kind: 'added', text, before: null, after };
    case '-':
      return { kind: 'removed', text, before, after: null };
    case '\\':
      return { kind: 'note', text: line, before: null, after: null };
    default:
      return { kind: 'same', text, before, after };
  }
}

function withoutLast(lines: readonly string[]): readonly string[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
