import type { Finish, Script, Step } from './scripted-script.ts';

/**
 * The script that the magic words in a text ask for, or the default one, which says the text back.
 *
 * Words stand in double square brackets, several to a bracket: `[[chunks=50 delay=20]]`, `[[tool=lookup args={"a":1}]]`.
 *
 *   chunks=N delay=MS text=WORD perwrite=N   N pieces of text, one each MS, `perwrite` of them in one write
 *   reasoning=N                              N pieces of reasoning first
 *   tool=NAME args={…}                       a tool call (args may be broken JSON)
 *   usage=IN/OUT  finish=REASON              as the answer ends
 *   wait=MS                                  before the first byte
 *   fail=STATUS retry-after=VALUE message=T  an HTTP error; with times=N only the first N times for this text
 *   html                                     a 502 with an HTML page
 *   overflow                                 a 400 with OpenAI's words for a full context
 *   stall pings=MS                           after the text: silence, or pings only
 *   hold                                     after the text: until POST /__release
 *   error=MESSAGE                            an error inside the stream
 *   reset                                    breaks the connection after the text
 *   malformed | nofinish | nodone | doubledone | crlf
 *   split=BYTES  huge=BYTES                  cuts the bytes; sends one event of that size
 */
export function scriptFromWords(said: string, release: Promise<unknown>, seen: (key: string) => number): Script {
  const words = parseWords(said);
  if (words.size === 0) return echo(said);
  const refusal = refusalFrom(words);
  if (refusal && seen(said) <= Number(words.get('times') ?? Number.POSITIVE_INFINITY)) return refusal;
  return streamFrom(words, said, release);
}

export function echo(said: string): Script {
  const pieces = `You said: ${said}`.match(/\s*\S+|\s+$/g) ?? [];
  return { steps: pieces.map((text) => ({ kind: 'text', text })) };
}

type Words = ReadonlyMap<string, string>;

function parseWords(said: string): Words {
  const words = new Map<string, string>();
  for (const [, inside = ''] of said.matchAll(/\[\[(.*?)\]\](?!\])/gs)) {
    for (const [, key = '', value = ''] of inside.matchAll(/([a-z][a-z-]*)(?:=("[^"]*"|\{.*\}?|\S+))?/g)) {
      words.set(key, value.replace(/^"|"$/g, ''));
    }
  }
  return words;
}

function number(words: Words, key: string): number | undefined {
  const value = words.get(key);
  return value === undefined ? undefined : Number(value);
}

function refusalFrom(words: Words): Script | undefined {
  const delayMs = number(words, 'wait');
  if (words.has('html')) {
    const body = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>';
    return { status: 502, headers: { 'content-type': 'text/html' }, body, delayMs };
  }
  const status = words.has('overflow') ? 400 : number(words, 'fail');
  return status === undefined
    ? undefined
    : { status, headers: refusalHeaders(words), body: refusalBody(words), delayMs };
}

function refusalHeaders(words: Words): Record<string, string> {
  const retryAfter = words.get('retry-after');
  return { 'content-type': 'application/json', ...(retryAfter ? { 'retry-after': retryAfter } : {}) };
}

function refusalBody(words: Words): string {
  if (!words.has('overflow')) return JSON.stringify({ error: { message: words.get('message') ?? 'scripted failure' } });
  const message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
  return JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } });
}

function streamFrom(words: Words, said: string, release: Promise<unknown>): Script {
  const [input = 10, output = 5] = words.get('usage')?.split('/').map(Number) ?? [];
  return {
    delayMs: number(words, 'wait'),
    steps: [...speech(words, said), ...misbehaviour(words, release)],
    usage: { input, output },
    finish: words.has('nofinish') ? null : (words.get('finish') as Finish | undefined),
    done: words.has('nodone') || words.has('nofinish') ? 0 : words.has('doubledone') ? 2 : 1,
    chunkBytes: number(words, 'split'),
    crlf: words.has('crlf'),
  };
}

function speech(words: Words, said: string): Step[] {
  const delayMs = number(words, 'delay') ?? 0;
  const thoughts = Array.from(
    { length: number(words, 'reasoning') ?? 0 },
    (): Step => ({ kind: 'reasoning', text: 'hm ' }),
  );
  const name = words.get('tool');
  if (name !== undefined) return [...thoughts, { kind: 'toolCall', name, input: words.get('args') ?? '{}' }];
  const count = number(words, 'chunks');
  if (count === undefined) return [...thoughts, ...(echo(said).steps ?? [])];
  const text = `${words.get('text') ?? 'word'} `;
  return [...thoughts, { kind: 'repeat', text, count, delayMs, perWrite: number(words, 'perwrite') }];
}

function misbehaviour(words: Words, release: Promise<unknown>): Step[] {
  const steps: Step[] = [];
  if (words.has('huge')) steps.push({ kind: 'text', text: 'x'.repeat(number(words, 'huge') ?? 0) });
  if (words.has('malformed')) steps.push({ kind: 'raw', bytes: 'data: {"choices":[{"del\n\n' });
  if (words.has('error'))
    steps.push({ kind: 'error', message: words.get('error') || 'scripted error', type: 'server_error' });
  if (words.has('hold')) steps.push({ kind: 'gate', until: release });
  if (words.has('stall')) steps.push({ kind: 'stall', pingMs: number(words, 'pings') });
  if (words.has('reset')) steps.push({ kind: 'reset' });
  return steps;
}
