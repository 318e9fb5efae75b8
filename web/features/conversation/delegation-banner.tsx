import { Link } from '@tanstack/react-router';
import { CornerDownRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Message } from '../../../contract/messages.ts';
import { serverText, useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';

/** Amber is for delegation and for nothing else. */
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

export function DelegationPill({ children, link }: { children: string; link?: ReactNode }) {
  return (
    <div className="flex justify-center pb-4.5">
      <div className="flex max-w-full items-start gap-2 rounded-2xl border border-delegate/35 bg-delegate-bg px-3 py-1 text-xs text-delegate">
        <CornerDownRight size={14} className="mt-0.5 flex-none" aria-hidden="true" />
        <p data-words="" dir="auto" className="min-w-0 break-words">
          {children}
        </p>
        {link}
      </div>
    </div>
  );
}
