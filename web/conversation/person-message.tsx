import { useEffect, useState } from 'react';
import type { Message } from '../../contract/messages.ts';
import { useText } from '../i18n/text.ts';
import { clockTime } from '../i18n/time.ts';
import { cx } from '../ui/cx.ts';
import { AttachedFiles } from './attached-files.tsx';
import { MessageParts } from './message-parts.tsx';
import { MessageToolbar } from './message-toolbar.tsx';
import { storedParts } from './shown-parts.ts';
import { Speaker } from './speaker.tsx';
import { WorkedElsewhere } from './worked-elsewhere.tsx';

interface Props {
  message: Message;
  sessionId: string;
  isSending: boolean;
}

/** The person's words on the right. A task or a result that an agent sent stands under that agent's name. */
export function PersonMessage({ message, sessionId, isSending }: Props) {
  const text = useText();
  if (message.agent !== null) return <SentByAgent message={message} />;
  return (
    <article
      aria-label={`${text('conversation.you')}, ${clockTime(message.createdAt)}`}
      className="group/message relative flex flex-col items-end pb-1"
    >
      <AttachedFiles parts={message.parts} align="end" />
      {message.text !== '' && (
        <div
          data-words=""
          className="max-w-[85%] rounded-xl rounded-br-sm border border-line bg-raised px-3 py-2 text-md leading-relaxed break-words whitespace-pre-wrap"
        >
          {message.text}
        </div>
      )}
      {isSending ? <Sending /> : <MessageToolbar message={message} sessionId={sessionId} align="end" />}
    </article>
  );
}

function SentByAgent({ message }: { message: Message }) {
  const text = useText();
  return (
    <Speaker agentId={message.agent} at={message.createdAt}>
      <p className="mb-1 text-xs text-fg-3">{text('conversation.sentHere')}</p>
      <MessageParts parts={storedParts(message.parts)} />
      <AttachedFiles parts={message.parts} align="start" />
      <WorkedElsewhere message={message} />
      <div className="h-3" />
    </Speaker>
  );
}

const PATIENCE_MS = 400;

/** As high as what will stand there. Says nothing as long as it goes as fast as it should. */
function Sending() {
  const text = useText();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className={cx('mt-1 flex h-7 items-center text-xs text-fg-3', !isSlow && 'opacity-0')}>
      {isSlow && text('message.sending')}
    </p>
  );
}
