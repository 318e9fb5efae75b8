import { CornerDownRight } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { SharedMessage } from '../../../contract/shares.ts';
import { speakerOf } from '../../../contract/speakers.ts';
import { FoldedText } from '../../features/conversation/folded-text.tsx';
import { useText } from '../../i18n/text.ts';
import { clockTime, shortDate } from '../../i18n/time.ts';
import { TextBoundary } from '../../markdown/text-boundary.tsx';
import { Words } from '../../markdown/words.tsx';
import { LookTile, lookStyle } from '../../ui/agent-tile.tsx';
import { cx } from '../../ui/cx.ts';
import { Badge } from '../../ui/page.tsx';
import { SharedFiles, SharedParts } from './shared-parts.tsx';
import type { SharedRow } from './shared-rows.ts';

export const SharedRowView = memo(function SharedRowView({ row }: { row: SharedRow }) {
  return (
    <>
      {row.day && <Day at={row.day} />}
      <TextBoundary text={row.message.text}>
        <Said row={row} />
      </TextBoundary>
    </>
  );
});

function Day({ at }: { at: string }) {
  return (
    <div className="flex items-center gap-3 py-4 text-2xs text-fg-3">
      <span className="h-px flex-1 bg-line" />
      <time dateTime={at}>{shortDate(at)}</time>
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

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
      {message.cut && (
        <p className="mt-2 border-l-2 border-line-strong pl-3 text-xs text-fg-2">{text(`cut.${message.cut}`)}</p>
      )}
    </Speaker>
  );
}

/** Nobody who reads this is "you". */
function Person({ message: { createdAt, text: words, parts } }: { message: SharedMessage }) {
  const text = useText();
  const name = text('shared.person');
  return (
    <article aria-label={`${name}, ${clockTime(createdAt)}`} className="flex flex-col items-end pb-5">
      <header className="mb-1 flex items-center gap-2 text-xs text-fg-3">
        <b className="font-semibold text-fg-2">{name}</b>
        <time dateTime={createdAt}>{clockTime(createdAt)}</time>
      </header>
      {words !== '' && (
        <div className="max-w-[85%] min-w-0 rounded-xl rounded-tr-sm border border-line bg-raised px-3 py-2">
          <FoldedText id={createdAt} text={words}>
            <div dir="auto" className="text-md leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
              <Words text={words} />
            </div>
          </FoldedText>
        </div>
      )}
      <SharedFiles parts={parts} />
    </article>
  );
}

interface SpeakerProps {
  message: SharedMessage;
  subAgentOf: string | null;
  children: ReactNode;
}

/** An agent's words under the name it had then and its colour; those of a sub-agent in the amber frame. */
function Speaker({ message, subAgentOf, children }: SpeakerProps) {
  const text = useText();
  const { agent, createdAt, guest } = message;
  const name = message.name ?? agent ?? text('conversation.assistant');
  return (
    <article
      aria-label={`${name}, ${clockTime(createdAt)}`}
      style={lookStyle(message.look)}
      className={cx('agent pb-5', subAgentOf !== null && 'sub-agent')}
    >
      <header className="mb-1 flex flex-wrap items-center gap-2 text-xs text-fg-3 print:break-after-avoid">
        <LookTile look={message.look} />
        <b dir="auto" className="font-semibold text-agent">
          {name}
        </b>
        {guest && <Badge>{text('conversation.guest')}</Badge>}
        {subAgentOf !== null && <span>{text('conversation.subAgentOf', { name: subAgentOf })}</span>}
        <time dateTime={createdAt}>{clockTime(createdAt)}</time>
      </header>
      {children}
    </article>
  );
}

/** Amber is for delegation and for nothing else. */
function Delegation({ message }: { message: SharedMessage }) {
  const text = useText();
  const part = message.parts.find(({ type }) => type === 'delegation');
  const name = message.name ?? message.agent ?? (part?.type === 'delegation' ? part.to : '');
  const isRefused = part?.type === 'delegation' && part.state === 'refused';
  return (
    <div className="flex justify-center pb-5">
      <div className="flex max-w-full items-start gap-2 rounded-2xl border border-delegate/35 bg-delegate-bg px-3 py-1 text-xs text-delegate">
        <CornerDownRight size={14} className="mt-0.5 flex-none" aria-hidden="true" />
        <p dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
          {text(isRefused ? 'shared.refused' : 'conversation.delegating', { name, task: message.text })}
        </p>
      </div>
    </div>
  );
}
