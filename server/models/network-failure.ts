import type { Target } from './attempt.ts';
import { redact } from './clean-message.ts';
import type { ModelFailure } from './types.ts';

/** What an error below HTTP means: either the server could not be reached, or the connection broke. */
export function networkFailure(error: unknown, target: Target): ModelFailure {
  const code = codes(error).find((known) => UNREACHABLE.has(known) || isTls(known));
  if (code === undefined) return broken(error, target);
  const advice = UNREACHABLE.get(code) ?? 'its certificate is not trusted';
  const message = `Can't reach ${target.name} at ${target.origin}: ${advice}.`;
  const text = { key: 'model_unreachable', values: { who: `${target.name} (${target.origin})`, detail: code } };
  return { code: 'model_unreachable', message, retryable: !isTls(code), text };
}

/** `fetch` connects to no port that belongs to another protocol, and says so without a code. */
const BLOCKED_PORT = 'BLOCKED_PORT';

const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused. Check that the server is running and that baseUrl has the right port'],
  [BLOCKED_PORT, 'that port is reserved for another protocol. Check that baseUrl has the right port'],
  ['ENOTFOUND', 'unknown host name. Check baseUrl and the network'],
  ['EAI_AGAIN', 'the host name could not be resolved. Check baseUrl and the network'],
  ['EHOSTUNREACH', 'no route to the host. Check the network'],
  ['ENETUNREACH', 'no route to the network. Check the network'],
  ['EADDRNOTAVAIL', 'the address is not available. Check baseUrl'],
  ['ETIMEDOUT', 'the connection timed out. Check the network and any firewall'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out. Check the network and any firewall'],
  ['EPROTO', 'the server does not use TLS. Check whether baseUrl should start with http or https'],
]);

function isTls(code: string): boolean {
  return /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF)/.test(code);
}

function broken(error: unknown, target: Target): ModelFailure {
  const code = codes(error)[0];
  const why = code ? ` (${code})` : '';
  const message = redact(`Lost the connection to ${target.name}${why} before the reply finished.`, target.secrets);
  return {
    code: 'model_stream_broken',
    message,
    retryable: true,
    text: { key: 'model_stream_broken', values: { who: target.name } },
  };
}

/** Node wraps: fetch failed -> AggregateError -> ECONNREFUSED. The innermost cause is the one that tells. */
function codes(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 6) return [];
  const own = (error as NodeJS.ErrnoException).code;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const named = error.message === 'bad port' ? BLOCKED_PORT : own;
  return [...codes(inner, depth + 1), ...(typeof named === 'string' ? [named] : [])];
}
