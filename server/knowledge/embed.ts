import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddingSettings } from '../../contract/embeddings.ts';
import { say, type Text } from '../../contract/texts.ts';
import { type Environment, expand } from '../config/environment.ts';
import { apiBase, baseUrlProblem } from '../models/base-url.ts';
import { redact } from '../models/clean-message.ts';
import { retryAfterMs } from '../models/guard.ts';
import { type GuardedAnswer, guardedFetch } from '../tools/guarded-fetch.ts';

/** A server that makes vectors of texts. */
export interface EmbeddingModel {
  readonly url: URL;
  readonly settings: EmbeddingSettings;
  readonly apiKey: string | undefined;
  /** Vectors under different keys do not compare. */
  readonly key: string;
}

/** What went wrong, in words for the person. */
export class EmbeddingFailure extends Error {
  readonly text: Text;

  constructor(text: Text) {
    super(text.message);
    this.text = text;
  }
}

/** Throws `EmbeddingFailure` when something is missing. */
export function openEmbeddings(settings: EmbeddingSettings, env: Environment): EmbeddingModel {
  const [url, apiKey] = [expand(settings.baseUrl, env), expand(settings.apiKey ?? '', env)];
  const missing = [...url.missing, ...apiKey.missing];
  if (missing.length > 0)
    throw new EmbeddingFailure(say('knowledge_problem.embeddings_variables', { variables: missing.join(', ') }));
  const problem = baseUrlProblem(url.value);
  if (problem) throw new EmbeddingFailure(say('knowledge_problem.embeddings_url', { problem }));
  const base = apiBase(url.value, '/embeddings');
  base.pathname += '/embeddings';
  return { url: base, settings, apiKey: apiKey.value || undefined, key: keyOf(base, settings) };
}

function keyOf(url: URL, { model, dimensions }: EmbeddingSettings): string {
  return createHash('sha256')
    .update(JSON.stringify([url.href, model, dimensions]))
    .digest('hex')
    .slice(0, 16);
}

const ATTEMPTS = 3;
const BACKOFF_MS = 500;
const MOST_WAIT_MS = 30_000;
/** A number of a vector takes up to about 25 characters of JSON. */
const MOST_BYTES_PER_TEXT = 4096 * 32;

/** A vector of length 1 for each text. Rejects with `EmbeddingFailure`, or with the signal's reason. */
export async function embed(
  model: EmbeddingModel,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  for (let attempt = 1; ; attempt++) {
    const tried = await send(model, texts, signal);
    if ('vectors' in tried) return tried.vectors;
    if (!tried.isPassing || attempt >= ATTEMPTS || tried.waitMs > MOST_WAIT_MS) throw failure(model, tried.reason);
    await pause(Math.max(tried.waitMs, BACKOFF_MS * 2 ** (attempt - 1)), undefined, { signal });
  }
}

type Tried = { vectors: Float32Array[] } | { reason: string; isPassing: boolean; waitMs: number };

async function send(model: EmbeddingModel, texts: readonly string[], signal: AbortSignal): Promise<Tried> {
  const { settings, url } = model;
  const { model: name, dimensions, timeoutMs } = settings;
  try {
    const answer = await guardedFetch(url, {
      method: 'POST',
      headers: headersOf(model),
      body: JSON.stringify({ model: name, input: texts, encoding_format: 'base64', ...(dimensions && { dimensions }) }),
      // Its owner named this host in the configuration.
      allowHosts: [url.host],
      maxBytes: MOST_BYTES_PER_TEXT * texts.length + 100_000,
      timeoutMs,
      signal,
    });
    return read(answer, texts.length);
  } catch (error) {
    signal.throwIfAborted();
    return { reason: (error as Error).message, isPassing: true, waitMs: 0 };
  }
}

function headersOf({ apiKey }: EmbeddingModel): Record<string, string> {
  return { 'Content-Type': 'application/json', ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }) };
}

function read({ status, body, headers }: GuardedAnswer, count: number): Tried {
  if (status >= 400) {
    const isPassing = status === 408 || status === 429 || status >= 500;
    const waitMs = retryAfterMs(Object.fromEntries(headers), Date.now()) ?? 0;
    return { reason: reasonOf(status), isPassing, waitMs };
  }
  const vectors = vectorsIn(body.toString('utf8'), count);
  return vectors ? { vectors } : { reason: 'The response holds no vectors.', isPassing: false, waitMs: 0 };
}

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return 'It rejected the API key.';
  if (status === 404) return "It doesn't know the model, or baseUrl is wrong.";
  return `It answered with status ${status}.`;
}

function vectorsIn(json: string, count: number): Float32Array[] | null {
  const data = parse(json);
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors = data
    .map((one, place) => ({ place: Number(Object(one).index ?? place), vector: toVector(Object(one).embedding) }))
    .sort((a, b) => a.place - b.place)
    .map(({ vector }) => vector);
  const length = vectors[0]?.length;
  return vectors.every((vector) => vector !== null && vector.length === length) ? (vectors as Float32Array[]) : null;
}

function parse(json: string): unknown {
  try {
    return Object(JSON.parse(json)).data;
  } catch {
    return null;
  }
}

/** Of length 1, so that comparing two is a product. Asked for as base64, which is read ten times as fast as numbers. */
function toVector(embedding: unknown): Float32Array | null {
  const numbers = typeof embedding === 'string' ? floatsIn(embedding) : embedding;
  if (!Array.isArray(numbers) || numbers.length === 0 || !numbers.every(Number.isFinite)) return null;
  const length = Math.hypot(...(numbers as number[])) || 1;
  return Float32Array.from(numbers as number[], (number) => number / length);
}

/** 32-bit numbers, the lowest byte first. */
function floatsIn(base64: string): number[] | null {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

function failure({ url, apiKey }: EmbeddingModel, reason: string): EmbeddingFailure {
  const shown = redact(reason, apiKey === undefined ? [] : [apiKey]).replace(/\.?$/, '.');
  return new EmbeddingFailure(say('knowledge_problem.embeddings', { host: url.host, reason: shown }));
}
