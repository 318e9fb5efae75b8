import type { SharedMessage } from '../../../contract/shares.ts';

/** A message with what can only be told by those before it. */
export interface SharedRow {
  readonly key: number;
  readonly message: SharedMessage;
  /** The first of a day says which. */
  readonly day: string | null;
  /** The name of the agent that gave the work it answers. */
  readonly subAgentOf: string | null;
}

export function toSharedRows(messages: readonly SharedMessage[]): SharedRow[] {
  return messages.map((message, key) => {
    const before = messages[key - 1];
    return {
      key,
      message,
      day: before && dayOf(before) === dayOf(message) ? null : message.createdAt,
      subAgentOf: giverOf(message, before),
    };
  });
}

/** Rows that are drawn together. */
export function inBlocks(rows: readonly SharedRow[], size: number): SharedRow[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
}

const LINE = 23;
const LETTERS_PER_LINE = 80;
const AROUND = 60;

/** About how many pixels rows take that are not drawn yet. */
export function heightOf(rows: readonly SharedRow[]): number {
  return rows.reduce((sum, { message }) => sum + AROUND + LINE * linesOf(message), 0);
}

function linesOf({ text, parts }: SharedMessage): number {
  const breaks = text.split('\n').length - 1;
  return Math.ceil(text.length / LETTERS_PER_LINE) + breaks / 2 + parts.length;
}

function dayOf({ createdAt }: SharedMessage): string {
  return new Date(createdAt).toDateString();
}

function giverOf(message: SharedMessage, before: SharedMessage | undefined): string | null {
  if (message.role !== 'assistant' || before?.role !== 'delegation' || before.agent !== message.agent) return null;
  return before.parts.find((part) => part.type === 'delegation')?.from ?? null;
}
