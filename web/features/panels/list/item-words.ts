import type { ListItem } from '../../../../contract/lists.ts';

/** Items as the lines of a message. */
export function asWords(items: readonly ListItem[]): string {
  return items.map(({ title, doneAt }) => `- [${doneAt === null ? ' ' : 'x'}] ${title}`).join('\n');
}
