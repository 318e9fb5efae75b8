import { Link } from '@tanstack/react-router';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';

/** The way to where a result was worked out, when that was not here. */
export function WorkedElsewhere({ message }: { message: Message }) {
  const text = useText();
  const part = message.parts.find((one) => one.type === 'delegation');
  if (!part || part.sessionId === message.sessionId) return null;
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId: part.sessionId }}
      className="mt-1 inline-flex min-h-6 items-center text-xs text-link underline"
    >
      {text('conversation.openWork')}
    </Link>
  );
}
