import type { Message } from '../contract/messages.ts';

export type Messages = ReadonlyMap<string, Message>;

/** The branch that ends in `headId`, oldest first, as far back as it is loaded. */
export function pathTo(messages: Messages, headId: string | null): Message[] {
  const path: Message[] = [];
  for (let id = headId; id !== null; ) {
    const message = messages.get(id);
    if (!message) break;
    path.push(message);
    id = message.parentId;
  }
  return path.reverse();
}

/** A message and its alternatives, in order: those the server named and those that came up since. */
export function siblingsOf(messages: Messages, message: Message): string[] {
  const beside = [...messages.values()].filter(({ parentId }) => parentId === message.parentId);
  const ids = new Set([...(message.siblings ?? []), ...beside.sort(bySeq).map(({ id }) => id)]);
  return [...ids];
}

function bySeq(a: Message, b: Message): number {
  return (a.seq ?? Number.POSITIVE_INFINITY) - (b.seq ?? Number.POSITIVE_INFINITY);
}

export function withMessage(messages: Messages, message: Message): Messages {
  return new Map(messages).set(message.id, message);
}

/** What a summary stands for from now on: the shown branch up to a place. */
export function archiveUpto(messages: Messages, headId: string | null, uptoSeq: number): Messages {
  const next = new Map(messages);
  for (const message of pathTo(messages, headId)) {
    if (message.seq !== null && message.seq <= uptoSeq) next.set(message.id, { ...message, archived: true });
  }
  return next;
}
