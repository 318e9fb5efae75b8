import { memo, type ReactNode } from 'react';
import type { SharedMessage } from '../../../contract/shares.ts';
import { speakerOf } from '../../../contract/speakers.ts';
import {
  AgentFrame,
  Bubble,
  CutLine,
  DayLine,
  DelegationPill,
  SpeakerBadge,
} from '../../features/conversation/message-frame.tsx';
import { useText } from '../../i18n/text.ts';
import { clockTime } from '../../i18n/time.ts';
import { TextBoundary } from '../../markdown/text-boundary.tsx';
import { LookTile, lookStyle } from '../../ui/agent-tile.tsx';
import { SharedFiles, SharedParts } from './shared-parts.tsx';
import type { SharedRow } from './shared-rows.ts';

export const SharedRowView = memo(function SharedRowView({ row }: { row: SharedRow }) {
  return (
    <>
      {row.day && <DayLine at={row.day} />}
      <TextBoundary text={row.message.text}>
        <Said row={row} />
      </TextBoundary>
    </>
  );
});

function Said({ row }: { row: SharedRow }) {
  const text = useText();
  const { message, subAgentOf } = row;
  if (message.role === 'delegation') return <Delegation message={message} />;
  if (message.role === 'user' && message.agent === null) return <Person message={message} />;
  return (
    <Speaker message={message} subAgentOf={subAgentOf}>
      {message.role === 'user' && (
        <p className="mb-1 text-xs text-fg-3">
          {text(speakerOf(message).kind === 'task' ? 'conversation.assigned' : 'conversation.sentHere')}
        </p>
      )}
      <SharedParts parts={message.parts} />
      {message.cut && <CutLine reason={message.cut} />}
    </Speaker>
  );
}

/** Nobody who reads this is "you". */
function Person({ message: { createdAt, text: words, parts } }: { message: SharedMessage }) {
  const text = useText();
  const name = text('shared.person');
  return (
    <article aria-label={`${name}, ${clockTime(createdAt)}`} className="mb-4.5 flex flex-col items-end">
      <header className="mb-1 flex items-center gap-2 text-xs text-fg-3">
        <b className="font-semibold text-fg-2">{name}</b>
        <time dateTime={createdAt}>{clockTime(createdAt)}</time>
      </header>
      {words !== '' && <Bubble id={createdAt} words={words} />}
      <SharedFiles parts={parts} />
    </article>
  );
}

interface SpeakerProps {
  message: SharedMessage;
  subAgentOf: string | null;
  children: ReactNode;
}

/** An agent's words under the name and colour it had then. */
function Speaker({ message, subAgentOf, children }: SpeakerProps) {
  const text = useText();
  const { agent, createdAt, guest, look } = message;
  return (
    <AgentFrame
      name={message.name ?? agent ?? text('conversation.assistant')}
      at={createdAt}
      tile={<LookTile look={look} />}
      style={lookStyle(look)}
      subAgentOf={subAgentOf}
      badges={guest && <SpeakerBadge>{text('conversation.guest')}</SpeakerBadge>}
    >
      {children}
    </AgentFrame>
  );
}

function Delegation({ message }: { message: SharedMessage }) {
  const text = useText();
  const part = message.parts.find(({ type }) => type === 'delegation');
  const name = message.name ?? message.agent ?? (part?.type === 'delegation' ? part.to : '');
  const isRefused = part?.type === 'delegation' && part.state === 'refused';
  return (
    <DelegationPill>
      {text(isRefused ? 'shared.refused' : 'conversation.delegating', { name, task: message.text })}
    </DelegationPill>
  );
}
