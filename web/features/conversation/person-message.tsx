import { useEffect, useState } from 'react';
import type { Message } from '../../../contract/messages.ts';
import { speakerOf } from '../../../contract/speakers.ts';
import { useText } from '../../i18n/text.ts';
import { clockTime } from '../../i18n/time.ts';
import { AttachedFiles } from './attached-files.tsx';
import { EditMessage } from './edit-message.tsx';
import { Bubble } from './message-frame.tsx';
import { MessageParts } from './message-parts.tsx';
import { MessageSiblings } from './message-siblings.tsx';
import { MessageToolbar } from './message-toolbar.tsx';
import { storedParts } from './shown-parts.ts';
import { Speaker } from './speaker.tsx';
import { useIsSentOutput } from './use-is-output.ts';
import { WorkedElsewhere } from './worked-elsewhere.tsx';

interface Props {
  message: Message;
  sessionId: string;
  isSending: boolean;
}

/** The person's words on the right. A task or a result that an agent sent stands under that agent's name. */
export function PersonMessage({ message, sessionId, isSending }: Props) {
  const text = useText();
  const [isEditing, setEditing] = useState(false);
  if (message.agent !== null) return <SentByAgent message={message} />;
  return (
    <article
      aria-label={`${text('conversation.you')}, ${clockTime(message.createdAt)}`}
      className="group/message relative mb-4.5 flex flex-col items-end"
    >
      <AttachedFiles parts={message.parts} align="end" />
      {isEditing ? (
        <EditMessage message={message} onDone={() => setEditing(false)} />
      ) : (
        <div className="flex w-full flex-row-reverse items-center">
          {message.text !== '' && <Bubble id={message.id} words={message.text} />}
          {!isSending && (
            <MessageToolbar message={message} sessionId={sessionId} align="end" onEdit={() => setEditing(true)} />
          )}
        </div>
      )}
      {isSending ? <Sending /> : <MessageSiblings message={message} sessionId={sessionId} />}
    </article>
  );
}

function SentByAgent({ message }: { message: Message }) {
  const text = useText();
  const isOutput = useIsSentOutput(message);
  const { kind } = speakerOf(message);
  const label =
    kind === 'task' ? (isOutput ? 'conversation.ranCommand' : 'conversation.assigned') : 'conversation.sentHere';
  return (
    <Speaker agentId={message.agent} at={message.createdAt}>
      <p className="mb-1 text-xs text-fg-3">{text(label)}</p>
      <MessageParts parts={storedParts(message.parts)} isOutput={isOutput} />
      <AttachedFiles parts={message.parts} align="start" />
      <WorkedElsewhere message={message} />
    </Speaker>
  );
}

const PATIENCE_MS = 400;

/** Over the gap below the message, so that nothing moves when it has been sent. Silent while sending is fast. */
function Sending() {
  const text = useText();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="absolute top-full right-0 text-xs text-fg-3">
      {isSlow && text('message.sending')}
    </p>
  );
}
