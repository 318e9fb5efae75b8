import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { Share } from '../../../contract/shares.ts';
import { clockTime, relativeTime, shortDate, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/page-words.ts';
import { sessionTitle } from '../../i18n/text.ts';
import { spellTogether } from '../../state/shortcuts.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/use-copy.ts';
import { linkOf } from './link-of.ts';
import { useRevoke } from './use-shares.ts';

interface Props {
  label: string;
  shares: readonly Share[];
  /** What links begin with, where that is configured. */
  publicUrl: string | null | undefined;
  /** One that was made just now: it comes to the keyboard. */
  made?: string | null;
  /** Whether they are links to several sessions, and so say to which. */
  named?: boolean;
}

/** Links there are; each can be copied, looked at and taken back. Says in words what was done. */
export function ShareLinks({ label, shares, publicUrl, made = null, named = false }: Props) {
  const text = useText();
  const list = useRef<HTMLDivElement>(null);
  const { words, say } = useSaying();
  const taken = () => {
    list.current?.focus();
    say(text('share.takenBack'));
  };
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      <p role="status" className="min-h-5 text-fg-2">
        {words}
      </p>
      <ul aria-label={label} className="divide-y divide-line border-y border-line empty:hidden">
        {shares.map((share) => (
          <ShareLink
            key={share.id}
            share={share}
            link={linkOf(share, publicUrl ?? location.origin)}
            isNew={share.id === made}
            say={say}
            onTaken={taken}
          >
            {named && <SessionLink share={share} />}
          </ShareLink>
        ))}
      </ul>
    </div>
  );
}

function SessionLink({ share: { sessionId, title } }: { share: Share }) {
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="touch-link font-medium [overflow-wrap:anywhere] hover:underline"
    >
      {sessionTitle(title)}
    </Link>
  );
}

/** The same words twice are said twice. */
function useSaying(): { words: string; say(words: string): void } {
  const [words, setWords] = useState('');
  const say = (next: string) => {
    setWords('');
    requestAnimationFrame(() => setWords(next));
  };
  return { words, say };
}

interface ShareLinkProps {
  share: Share;
  link: string;
  isNew: boolean;
  say(words: string): void;
  onTaken(): void;
  /** What it leads to, where that is not plain. */
  children?: ReactNode;
}

/** The address itself, and what can be done with it. */
function ShareLink({ share, link, isNew, say, onTaken, children }: ShareLinkProps) {
  const text = useText();
  const now = useNow();
  const field = useRef<HTMLInputElement>(null);
  const asker = useRef<HTMLButtonElement>(null);
  const [isAsking, setAsking] = useState(false);
  const when = exactly(share);
  useArrival(isNew, field, say);
  const keep = () => {
    setAsking(false);
    asker.current?.focus();
  };
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        {children}
        <p className="text-xs text-fg-3">
          <time dateTime={share.createdAt} title={when}>
            {text('share.when', { when: relativeTime(share.createdAt, now) })}
          </time>
          {share.toolDetails && `, ${text('share.withToolDetails')}`}
        </p>
      </div>
      <div className="mt-1 flex flex-wrap items-center justify-end gap-1.5">
        <input
          ref={field}
          readOnly
          value={link}
          aria-label={text('share.linkOf', { title: sessionTitle(share.title), when })}
          onFocus={(event) => selectFromStart(event.target)}
          className="h-7 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2 font-mono text-xs text-ellipsis max-sm:basis-full"
        />
        <CopyButton share={share} link={link} field={field} say={say} />
        <LookLink share={share} link={link} />
        <Button
          ref={asker}
          look="danger"
          aria-expanded={isAsking}
          aria-label={text('share.takeBackOf', { when })}
          onClick={() => setAsking(!isAsking)}
        >
          {text('share.takeBack')}
        </Button>
      </div>
      {isAsking && <TakeBack share={share} onTaken={onTaken} onKept={keep} />}
    </li>
  );
}

/** All of it is selected, and its beginning with the host stays in sight. */
function selectFromStart(field: HTMLInputElement): void {
  field.setSelectionRange(0, field.value.length, 'backward');
  field.scrollLeft = 0;
}

/** In names to the minute: two of a day have to be told apart. */
function exactly({ createdAt }: Share): string {
  return `${shortDate(createdAt)}, ${clockTime(createdAt)}`;
}

/** One that was made just now is at hand at once, ready to be copied. */
function useArrival(isNew: boolean, field: RefObject<HTMLInputElement | null>, say: ShareLinkProps['say']): void {
  const text = useText();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has come
  useEffect(() => {
    if (!isNew) return;
    field.current?.focus();
    say(text('share.made'));
  }, [isNew]);
}

interface CopyProps {
  share: Share;
  link: string;
  field: RefObject<HTMLInputElement | null>;
  say(words: string): void;
}

function CopyButton({ share, link, field, say }: CopyProps) {
  const text = useText();
  const copy = async () => {
    const isCopied = await copyText(link);
    if (!isCopied) field.current?.focus();
    say(isCopied ? text('share.copied') : text('share.copyByHand', { keys: spellTogether('Mod+c') }));
  };
  return (
    <Button aria-label={text('share.copyOf', { when: exactly(share) })} onClick={() => void copy()}>
      {text('message.copy')}
    </Button>
  );
}

function LookLink({ share, link }: { share: Share; link: string }) {
  const text = useText();
  return (
    <a
      href={link}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={text('share.openOf', { when: exactly(share) })}
      title={text('share.open')}
      className="grid size-7 flex-none place-items-center rounded-md text-fg-2 touch:size-11 hover:bg-hover hover:text-fg"
    >
      <ExternalLink size={14} />
    </a>
  );
}

interface TakeBackProps {
  share: Share;
  onTaken(): void;
  onKept(): void;
}

/** Asked first, since it is for good; over only when the server has said so. */
function TakeBack({ share, onTaken, onKept }: TakeBackProps) {
  const text = useText();
  const revoke = useRevoke(share);
  const sure = useRef<HTMLButtonElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => sure.current?.focus(), []);
  const take = () => {
    setBusy(true);
    setFailed(false);
    revoke().then(onTaken, () => {
      setBusy(false);
      setFailed(true);
    });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onKept();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape means "keep", wherever in here the keyboard is
    <div onKeyDown={onKey} className="mt-2 flex flex-wrap items-center justify-end gap-1.5">
      <p className="min-w-0 flex-1 basis-60 text-fg-2">{text('share.takeBackSure')}</p>
      <Button ref={sure} look="danger" aria-disabled={isBusy} onClick={() => !isBusy && take()}>
        {text(isBusy ? 'share.takingBack' : 'share.takeBackNow')}
      </Button>
      <Button onClick={onKept}>{text('share.keep')}</Button>
      <p role="alert" className="w-full text-danger empty:hidden">
        {hasFailed && text('share.notTakenBack')}
      </p>
    </div>
  );
}
