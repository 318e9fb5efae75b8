import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { WebhookFrame } from './message-frame.tsx';
import { MessageParts } from './message-parts.tsx';
import { MessageSiblings, MessageToolbar } from './message-toolbar.tsx';
import { storedParts } from './shown-parts.ts';

/** What came through a webhook, under the webhook's name: not the person's words. */
export function WebhookMessage({ message, name }: { message: Message; name: string }) {
  const text = useText();
  return (
    <WebhookFrame name={text('conversation.webhook', { name })} at={message.createdAt}>
      <MessageParts parts={storedParts(message.parts)} isOutput={false} />
      <MessageSiblings message={message} sessionId={message.sessionId} />
      <MessageToolbar message={message} sessionId={message.sessionId} />
    </WebhookFrame>
  );
}
