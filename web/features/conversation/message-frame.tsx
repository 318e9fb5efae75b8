import { CornerDownRight, Webhook } from 'lucide-react';
import { type CSSProperties, type ReactNode, useId, useState } from 'react';
import type { CutReason } from '../../../contract/cut-answer.ts';
import { clockTime, shortDate } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { Words } from '../../markdown/words.tsx';
import { cx } from '../../ui/cx.ts';
import { isLongText, linesOf } from '../../ui/long-text.ts';

// What surrounds the words of a message. None of it needs a connection: the page of a shared session draws with it, too.

/** The first message of a day stands under its date. */
export function DayLine({ at }: { at: string }) {
  return (
    <div className="flex items-center gap-3 py-3 text-2xs text-fg-3">
      <span className="h-px flex-1 bg-line" />
      <time dateTime={at}>{shortDate(at)}</time>
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

interface AgentFrameProps {
  name: string;
  at?: string | undefined;
  tile: ReactNode;
  /** The agent's colour. */
  style: CSSProperties;
  /** The name of the agent that gave the work; null when it was given here by no other. */
  subAgentOf: string | null;
  busy?: boolean;
  /** Directly after the name. */
  badges?: ReactNode;
  /** At the end of the line; by default the time. */
  facts?: ReactNode;
  children: ReactNode;
}

/** An agent's words under its name and colour; those of a sub-agent in the amber frame of what it was given. */
export function AgentFrame({ name, at, style, subAgentOf, busy = false, children, ...head }: AgentFrameProps) {
  return (
    <article
      aria-label={at ? `${name}, ${clockTime(at)}` : name}
      aria-busy={busy}
      style={style}
      className={cx('agent group/message relative mb-4.5', subAgentOf !== null && 'sub-agent')}
    >
      <AgentHead name={name} at={at} subAgentOf={subAgentOf} {...head} />
      {children}
    </article>
  );
}

/** What came through a webhook: no agent, and no person. */
export function WebhookFrame({ name, at, children }: Pick<AgentFrameProps, 'name' | 'at' | 'children'>) {
  const tile = (
    <span className="grid size-5 flex-none place-items-center rounded-sm border border-line bg-surface text-fg-2">
      <Webhook size={12} aria-hidden="true" />
    </span>
  );
  const style = { '--agent': 'var(--fg-2)' } as CSSProperties;
  return (
    <AgentFrame name={name} at={at} tile={tile} style={style} subAgentOf={null}>
      {children}
    </AgentFrame>
  );
}

type HeadProps = Omit<AgentFrameProps, 'children' | 'busy' | 'style'>;

/** One line, however little room there is: names are cut, and what is less important is left out. */
function AgentHead({ name, at, tile, subAgentOf, badges, facts }: HeadProps) {
  const text = useText();
  return (
    <header className="mb-1 flex min-w-0 items-center gap-2 text-xs whitespace-nowrap text-fg-3 touch:pr-10 print:break-after-avoid">
      {tile}
      <b title={name} dir="auto" className="min-w-8 truncate font-semibold text-agent">
        {name}
      </b>
      {badges}
      {subAgentOf !== null && (
        <span className="min-w-0 shrink-[9999] truncate">{text('conversation.subAgentOf', { name: subAgentOf })}</span>
      )}
      {facts ?? (at && <SpeakerFacts model={null} at={at} duration={null} details="" />)}
    </header>
  );
}

interface FactsProps {
  /** Null or empty: not known, as of programs that choose one themselves. */
  model: string | null;
  at: string;
  duration: string | null;
  /** Shown by hovering; the message's menu has it as well. */
  details: string;
}

/** Parts of the line of the name itself, in which the model's name is the first to be cut. */
export function SpeakerFacts({ model, at, duration, details }: FactsProps) {
  return (
    <span title={details || undefined} className="contents">
      {model && (
        <span className="-me-1 flex h-[1lh] min-w-0 shrink-[9999] flex-wrap gap-1 overflow-hidden max-[520px]:hidden">
          <span className="min-w-8 flex-auto basis-0 max-w-max truncate">{model}</span>
          <span aria-hidden="true">·</span>
        </span>
      )}
      <time dateTime={at} className="flex-none">
        {clockTime(at)}
      </time>
      {duration !== null && (
        <>
          <Dot />
          <span className="flex-none max-[520px]:hidden">{duration}</span>
        </>
      )}
    </span>
  );
}

function Dot() {
  return (
    <span aria-hidden="true" className="-mx-1 flex-none max-[520px]:hidden">
      ·
    </span>
  );
}

export function SpeakerBadge({ children }: { children: ReactNode }) {
  return <span className="flex-none rounded-sm border border-line px-1 text-2xs text-fg-2">{children}</span>;
}

/** A person's words. */
export function Bubble({ id, words }: { id: string; words: string }) {
  return (
    <div className="max-w-[85%] min-w-0 rounded-xl rounded-br-sm border border-line bg-raised px-3 py-2">
      <FoldedText id={id} text={words}>
        <div data-words="" dir="auto" className="text-md leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
          <Words text={words} />
        </div>
      </FoldedText>
    </div>
  );
}

/** Amber is for delegation and for nothing else. */
export function DelegationPill({ children, link }: { children: string; link?: ReactNode }) {
  return (
    <div className="flex justify-center pb-4.5">
      <div className="flex max-w-full items-start gap-2 rounded-2xl border border-delegate/35 bg-delegate-bg px-3 py-1 text-xs text-delegate">
        <CornerDownRight size={14} className="mt-0.5 flex-none" aria-hidden="true" />
        <p data-words="" dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
          {children}
        </p>
        {link}
      </div>
    </div>
  );
}

/** Under an answer that ends early: why. */
export function CutLine({ reason, children }: { reason: CutReason; children?: ReactNode }) {
  const text = useText();
  return (
    <p className="mt-2 flex flex-wrap items-center gap-2 border-l-2 border-line-strong pl-3 text-xs text-fg-2">
      <span>{text(`cut.${reason}`)}</span>
      {children}
    </p>
  );
}

/** The messages that were opened, so that one stays open when it is scrolled out of sight and back. */
const opened = new Set<string>();

/** A long text of a person, of which only the beginning is shown until it is opened. All of it is in the page. */
function FoldedText({ id, text: words, children }: { id: string; text: string; children: ReactNode }) {
  const text = useText();
  const bodyId = useId();
  const [isOpen, setOpen] = useState(opened.has(id));
  if (!isLongText(words)) return children;
  const toggle = () => {
    if (isOpen) opened.delete(id);
    else opened.add(id);
    setOpen(!isOpen);
  };
  return (
    <>
      <div id={bodyId} data-folded={!isOpen} className={cx(!isOpen && 'fade-end max-h-60 overflow-hidden')}>
        {children}
      </div>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={bodyId}
        onClick={toggle}
        className="mt-1 min-h-6 touch:min-h-11 touch:min-w-11 text-xs text-link hover:underline print:hidden"
      >
        {isOpen ? text('message.showLess') : text('message.showAll', { count: linesOf(words) })}
      </button>
    </>
  );
}
