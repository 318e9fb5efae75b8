import { type Messages, siblingsOf } from '../../../client/message-tree.ts';
import type { Message } from '../../../contract/messages.ts';

const families = new WeakMap<Messages, ReadonlyMap<string | null, readonly Message[]>>();

/** A message and its alternatives, found without looking at every other message each time. */
export function siblingsIn(messages: Messages, message: Message): string[] {
  const family = familiesOf(messages).get(message.parentId) ?? [];
  return siblingsOf(new Map(family.map((one) => [one.id, one])), message);
}

function familiesOf(messages: Messages): ReadonlyMap<string | null, readonly Message[]> {
  const known = families.get(messages);
  if (known) return known;
  const made = Map.groupBy(messages.values(), ({ parentId }) => parentId);
  families.set(messages, made);
  return made;
}
