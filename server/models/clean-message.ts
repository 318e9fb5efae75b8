/** What a provider answered, as a short sentence without secrets that may be shown to any reader. */
export function cleanMessage(body: string, secrets: readonly string[]): string {
  return redact(shorten(oneLine(wordsOf(body.slice(0, 64_000)))), secrets);
}

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets.flatMap(spellingsOf)) clean = clean.replaceAll(secret, '***');
  return clean
    .replace(/\b(?:sk|pk|rk|key|gsk|xai|api|ghp|hf)[-_][A-Za-z0-9_*.-]{6,}/g, '***')
    .replace(/\bBearer\s+\S+/gi, 'Bearer ***')
    .replace(/:\/\/[^\s/@]+@/g, '://***@')
    .replace(/([?&](?:api[-_]?key|key|token|access_token)=)[^\s&]+/gi, '$1***');
}

/** As it is and as providers echo it: with percent signs, or in base64, alone or as part of a user name and password. */
function spellingsOf(secret: string): string[] {
  if (secret.length < 4) return [];
  const bytes = Buffer.from(secret);
  // The beginning of what is encoded decides how the bits fall: three ways. The outer characters also hold other bits.
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(Math.ceil((offset * 4) / 3), (offset + bytes.length) % 3 === 0 ? undefined : -1);
  });
  const urlSafe = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hidden = [...encoded, ...urlSafe].filter((text) => text.length >= 8);
  return [secret, encodeURIComponent(secret.toWellFormed()), ...hidden];
}

export function isHtml(body: string): boolean {
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype|html|head|body)\b/i.test(
    body.slice(0, 4000),
  );
}

const MAX_LENGTH = 500;

function shorten(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
}

function oneLine(text: string): string {
  // Blanks but no line ends: a run of empty lines must not be looked through again from each of them.
  const stack = text.search(/\n[^\S\n]+at |\nTraceback \(most recent|\n[^\S\n]+File "/);
  const withoutStack = stack === -1 ? text : text.slice(0, stack);
  return withoutStack
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function wordsOf(body: string): string {
  if (isHtml(body)) return pageTitle(body);
  return wordsIn(parsed(body)) ?? body;
}

function pageTitle(html: string): string {
  const title = /<title[^<>]{0,200}>([^<]{1,200})/i.exec(html)?.[1] ?? /<h1[^<>]{0,200}>([^<]{1,200})/i.exec(html)?.[1];
  return title ? `an HTML page titled "${title.trim()}"` : 'an HTML page instead of a response';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const FIELDS = ['error', 'message', 'detail', 'msg', 'errors', 'error_description', 'reason', 'data', 'response'];

/** Every provider puts its words somewhere else; the first string on the usual paths is what a person should read. */
function wordsIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || depth > 4) return undefined;
  const fields = Array.isArray(value)
    ? value.slice(0, 3)
    : FIELDS.map((name) => (value as Record<string, unknown>)[name]);
  for (const field of fields) {
    const words = wordsIn(field, depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}
