import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type Messages, siblingsOf } from '../../../client/message-tree.ts';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';

/** The versions of a message, when there are several. Always visible, so that other versions are not overlooked. */
export function MessageSiblings({ message, sessionId }: { message: Message; sessionId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const messages = useLive((state) => state.states.get(sessionId)?.messages);
  const ids = messages ? siblingsIn(messages, message) : [];
  if (ids.length < 2) return null;
  const index = ids.indexOf(message.id);
  const show = (next: number) =>
    ids[next] &&
    void client
      .call('chooseHead', { sessionId, body: { messageId: ids[next] } })
      .catch((error: Error) => notify({ title: error.message }));
  return (
    <span className="flex items-center text-2xs text-fg-3">
      <IconButton label={text('message.previousSibling')} disabled={index === 0} onClick={() => show(index - 1)}>
        <ChevronLeft size={14} />
      </IconButton>
      {text('message.sibling', { index: index + 1, count: ids.length })}
      <IconButton
        label={text('message.nextSibling')}
        disabled={index === ids.length - 1}
        onClick={() => show(index + 1)}
      >
        <ChevronRight size={14} />
      </IconButton>
    </span>
  );
}

const families = new WeakMap<Messages, ReadonlyMap<string | null, readonly Message[]>>();

/** A message and its alternatives, found without looking at every other message each time. */
function siblingsIn(messages: Messages, message: Message): string[] {
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
