import { markUnseenCharacters } from '../../contract/unseen-characters.ts';
import { cx } from './cx.ts';

/** Lines of a patch: what is added and what is removed by its sign, and by the colour behind it. */
export function PatchLines({ lines }: { lines: readonly string[] }) {
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a patch do not move
    <span key={at} className={cx('block min-w-max px-2.5 whitespace-pre', toneOf(line))}>
      {markUnseenCharacters(line) || ' '}
    </span>
  ));
}

function toneOf(line: string): string {
  if (/^(?:---|\+\+\+) /.test(line)) return 'text-fg-2';
  switch (line[0]) {
    case '+':
      return 'bg-[color-mix(in_srgb,var(--st-completed)_14%,transparent)] text-fg';
    case '-':
      return 'bg-danger/12 text-fg';
    case '@':
      return 'text-fg-3';
    default:
      return 'text-fg-2';
  }
}
