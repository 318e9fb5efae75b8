/** `unset`: as inherited, else unrestricted. `free`: unrestricted, whatever is inherited. `nothing`: the empty list. */
export type ListMode = 'unset' | 'free' | 'nothing' | 'these';

export function modeOf(value: unknown): ListMode {
  if (value === undefined) return 'unset';
  if (!Array.isArray(value)) return 'free';
  return value.length === 0 ? 'nothing' : 'these';
}

/** What a list becomes when another mode is chosen; what was listed is kept as long as it can be. */
export function valueFor(mode: ListMode, lines: readonly string[]): string[] | null | undefined {
  switch (mode) {
    case 'unset':
      return undefined;
    case 'free':
      return null;
    case 'nothing':
      return [];
    case 'these':
      return lines.length > 0 ? [...lines] : ['*'];
    default:
      return mode satisfies never;
  }
}

export function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
