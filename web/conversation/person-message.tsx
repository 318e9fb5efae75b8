import type { Message } from '../../contract/messages.ts';
import { useText } from '../i18n/text.ts';
import { clockTime } from '../i18n/time.ts';
import { MessageParts } from './message-parts.tsx';
import { MessageToolbar } from './message-toolbar.tsx';
import { Speaker } from './speaker.tsx';

/** The person's words on the right. A task or a result that an agent sent stands under that agent's name. */
export function PersonMessage({ message, sessionId }: { message: Message; sessionId: string }) {
  const text = useText();
  if (message.agent !== null)
    return (
      <Speaker agentId={message.agent} at={message.createdAt}>
        <p className="mb-1 text-xs text-fg-3">{text('conversation.sentHere')}</p>
        <MessageParts parts={message.parts} />
      </Speaker>
    );
  return (
    <article
      aria-label={`${text('conversation.you')}, ${clockTime(message.createdAt)}`}
      className="group/message relative flex flex-col items-end pb-4"
    >
      <div className="max-w-[85%] rounded-xl rounded-br-sm border border-line bg-raised px-3 py-2 text-md leading-relaxed break-words whitespace-pre-wrap">
        {message.text}
      </div>
      <MessageToolbar message={message} sessionId={sessionId} align="end" />
    </article>
  );
}
