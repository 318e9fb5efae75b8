import type { Message } from '../../contract/messages.ts';
import { MessageParts } from './message-parts.tsx';
import { MessageToolbar } from './message-toolbar.tsx';
import { Speaker } from './speaker.tsx';

export function AgentMessage({
  message,
  sessionId,
  subAgentOf,
}: {
  message: Message;
  sessionId: string;
  subAgentOf: string | null;
}) {
  const { agent, createdAt, guest, status } = message;
  return (
    <Speaker
      agentId={agent}
      at={createdAt}
      guest={guest}
      subAgentOf={subAgentOf}
      interrupted={status === 'interrupted'}
    >
      <MessageParts parts={message.parts} />
      <MessageToolbar message={message} sessionId={sessionId} />
    </Speaker>
  );
}
