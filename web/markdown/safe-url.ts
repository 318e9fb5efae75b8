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
const HIDDEN = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g;

export function revealHidden(text: string): string {
  return text.replace(HIDDEN, (found) => `⟨U+${found.codePointAt(0)!.toString(16).toUpperCase()}⟩`);
}

/** Whether the words of a link name another host than the one it leads to. */
export function claimsOtherHost(words: string, host: string): boolean {
  const named = /(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})/i.exec(words)?.[1]?.toLowerCase();
  return named !== undefined && named !== host.toLowerCase() && !host.toLowerCase().endsWith(`.${named}`);
}
