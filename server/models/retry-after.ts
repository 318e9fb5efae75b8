export type Headers = Readonly<Record<string, string | undefined>>;

/**
 * How long the provider asks to wait, in milliseconds, or undefined when it says nothing that can be understood.
 * Never negative; may be absurdly large, which is for the caller to refuse.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  return plainNumber(headers['retry-after-ms']) ?? fromRetryAfter(headers['retry-after']?.trim(), now);
}

/** Exponential, and spread out so that a thousand turns that failed together do not come back together. */
export function backoffMs(attempt: number, baseMs: number, random: number): number {
  const full = Math.min(baseMs * 2 ** (attempt - 1), MAX_BACKOFF_MS);
  return full / 2 + (full / 2) * random;
}

const MAX_BACKOFF_MS = 10_000;

function fromRetryAfter(value: string | undefined, now: number): number | undefined {
  const seconds = plainNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  const at = httpDate(value ?? '');
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** Number() would also take '', '0x10' and '1e9'. */
function plainNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

const RFC_1123 = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} [\d:]{8} (?:GMT|UTC|[+-]\d{4})$/;
const RFC_850 = /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} [\d:]{8} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/;

/** `Date.parse` finds a date in almost anything, "-5" included, so the form is checked first. */
function httpDate(value: string): number | undefined {
  if (ASCTIME.test(value)) return validTime(Date.parse(`${value} GMT`));
  return [RFC_1123, RFC_850, ISO_8601].some((form) => form.test(value)) ? validTime(Date.parse(value)) : undefined;
}

function validTime(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
