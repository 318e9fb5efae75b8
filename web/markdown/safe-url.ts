import { markUnseenCharacters } from '../../contract/unseen-characters.ts';

export type SafeUrl =
  | { kind: 'external'; href: string; host: string }
  | { kind: 'internal'; href: string }
  | { kind: 'mail'; href: string };

/** Where a link may lead. Judged after parsing, never by how the text begins. */
export function safeUrl(raw: string, origin: string): SafeUrl | null {
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
