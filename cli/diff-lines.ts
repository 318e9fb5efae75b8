import type { DiffPart } from '../contract/messages.ts';
import { safeLine } from './terminal-text.ts';

const MOST_FILES = 20;
const SIGNS: Record<DiffPart['files'][number]['kind'], string> = {
  added: 'A',
  changed: 'M',
  deleted: 'D',
  renamed: 'R',
};

/** The files that a turn changed, as `git status` marks them. */
export function diffLines({ files, isCut }: DiffPart): string[] {
  const shown = files.slice(0, MOST_FILES).map(({ kind, path, from, added, removed }) => {
    const name = safeLine(from === undefined ? path : `${from} → ${path}`);
    return `  ${SIGNS[kind]} ${name}${added === null ? '' : ` +${added} −${removed ?? 0}`}`;
  });
  const left = files.length - shown.length;
  return [...shown, ...(left > 0 || isCut ? [`  … ${left > 0 ? `${left} more` : 'and more'}`] : [])];
}
