import { Link } from '@tanstack/react-router';
import type { Message } from '../../../contract/messages.ts';
import { serverText, useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { DelegationPill } from './message-frame.tsx';

/** That an agent was given something to do, or why it was not. */
export function DelegationBanner({ message }: { message: Message }) {
  const text = useText();
  const part = message.parts.find((one) => one.type === 'delegation');
  const name = useAgentName(message.agent);
  const task = part?.task ?? message.text;
  return (
    <DelegationPill
      link={
        part &&
        part.sessionId !== message.sessionId && (
          <Link to="/sessions/$sessionId" params={{ sessionId: part.sessionId }} className="underline">
            {text('conversation.openSession')}
          </Link>
        )
      }
    >
      {part?.reason
        ? text('conversation.delegationRefused', { name, reason: serverText(part.reason, part.reasonText) })
        : text('conversation.delegating', { name, task })}
    </DelegationPill>
  );
}
