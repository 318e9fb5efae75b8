import { Image as ImageIcon } from 'lucide-react';
import { createContext, type MouseEvent, type ReactNode, useContext } from 'react';
import { useText } from '../i18n/text.ts';
import { LiveContext } from '../live/use-live.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { askBeforeLeaving } from './leaving.tsx';
import { OwnLinks } from './own-links.ts';
import { claimsOtherHost, revealHidden, safeUrl } from './safe-url.ts';

/** A link that says where it leads. To other hosts only after the person has seen the whole address. */
export function SafeLink({ href, words, children }: { href: string; words: string; children: ReactNode }) {
  const live = useContext(LiveContext);
  const follow = useContext(OwnLinks);
  const mayOpen = useContext(OwnContents);
  const target = safeUrl(href, location.origin);
  const isClosed = target?.kind === 'internal' && !mayOpen && !SHARED.test(target.href);
  if (!target || isClosed) return <span title={revealHidden(href)}>{children}</span>;
  const fileId = target.kind === 'internal' ? OWN_FILE.exec(target.href)?.[1] : undefined;
  const ask = (event: MouseEvent) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    if (target.kind === 'internal' && !fileId && isPlain && follow?.(target.href)) return event.preventDefault();
    if (target.kind !== 'external' && !(fileId && live)) return;
    event.preventDefault();
    if (target.kind === 'external') askBeforeLeaving(target.href);
    // A tab opened for it could not show that this browser is signed in.
    else void import('../ui/own-file.ts').then(({ saveFile }) => saveFile(live!.client, fileId!, words));
  };
  const host = target.kind === 'external' && claimsOtherHost(words, target.host) ? ` (${target.host})` : '';
  return (
    <a href={target.href} onClick={ask} target="_blank" rel="noopener noreferrer nofollow" title={revealHidden(href)}>
      {children}
      {host}
    </a>
  );
}

const OwnImage = lazyPart(async () => (await import('./own-image.tsx')).default, { failed: ({ alt }) => alt });
const OWN_FILE = /^\/api\/files\/([\w-]+)(?:[?#]|$)/;

/** Whether the reader of this page may open what is on the server: its pictures, files, sessions and knowledge. */
export const OwnContents = createContext(true);
const SHARED = /^\/s\//;

/** Pictures are shown from our own server only; another server would learn that the message was read. */
export function ImageChip({ href, alt }: { href: string; alt: string }) {
  const text = useText();
  const areShown = useContext(OwnContents);
  const target = safeUrl(href, location.origin);
  const fileId = target?.kind === 'internal' ? OWN_FILE.exec(target.href)?.[1] : undefined;
  if (areShown && fileId !== undefined) {
    return <OwnImage fileId={fileId} alt={alt} />;
  }
  const host = target?.kind === 'external' ? target.host : target ? location.host : '?';
  return (
    <span className="inline-flex items-center gap-1 rounded-md border border-line px-1.5 text-fg-2">
      <ImageIcon size={13} aria-hidden="true" />
      <SafeLink href={href} words={alt}>
        {text('markdown.imageFrom', { host, alt })}
      </SafeLink>
    </span>
  );
}
