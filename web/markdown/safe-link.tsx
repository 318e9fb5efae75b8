import { Image as ImageIcon } from 'lucide-react';
import { createContext, type MouseEvent, type ReactNode, useContext } from 'react';
import { markUnseenCharacters } from '../../contract/unseen-characters.ts';
import { useText } from '../i18n/text.ts';
import { LiveContext } from '../live/use-live.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { askBeforeLeaving } from './leaving.tsx';

/** A link that says where it leads. To other hosts only after the person has seen the whole address. */
export function SafeLink({ href, words, children }: { href: string; words: string; children: ReactNode }) {
  const live = useContext(LiveContext);
  const target = safeUrl(href, location.origin);
  if (!target) return <span title={revealHidden(href)}>{children}</span>;
  const fileId = target.kind === 'internal' ? OWN_FILE.exec(target.href)?.[1] : undefined;
  const ask = (event: MouseEvent) => {
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

/** Whether the server's own pictures are for whoever looks at this page. */
export const OwnPictures = createContext(true);

/** Pictures are shown from our own server only; loading one from elsewhere would tell somebody that it was read. */
export function ImageChip({ href, alt }: { href: string; alt: string }) {
  const text = useText();
  const areShown = useContext(OwnPictures);
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

type SafeUrl =
  | { kind: 'external'; href: string; host: string }
  | { kind: 'internal'; href: string }
  | { kind: 'mail'; href: string };

/** Where a link may lead. Judged after parsing, never by how the text begins. */
function safeUrl(raw: string, origin: string): SafeUrl | null {
  if (!URL.canParse(raw, origin)) return null;
  const url = new URL(raw, origin);
  if (url.protocol === 'mailto:') return { kind: 'mail', href: url.href };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '') return null;
  if (url.origin === origin) return { kind: 'internal', href: url.pathname + url.search + url.hash };
  return { kind: 'external', href: url.href, host: url.host };
}

/** Characters that reorder or hide others, shown instead of obeyed. */
export function revealHidden(text: string): string {
  return markUnseenCharacters(text);
}

/** Whether the words of a link name another host than the one it leads to. */
export function claimsOtherHost(words: string, host: string): boolean {
  const real = host.toLowerCase();
  return namedHosts(words).some((named) => named !== real && !real.endsWith(`.${named}`));
}

/** Words with a dot in them that end in letters, in one pass over the text. No host is longer than 253 characters. */
function namedHosts(words: string): string[] {
  return (words.match(/[\p{L}\p{N}.-]+/gu) ?? []).flatMap((word) => {
    if (word.length > 260 || !word.includes('.')) return [];
    const named = /(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/u.exec(word)?.[0];
    return named === undefined ? [] : [named.toLowerCase()];
  });
}
