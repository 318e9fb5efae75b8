import type { Target } from './attempt.ts';
import { redact } from './clean-message.ts';
import type { ModelFailure } from './types.ts';

/** What an error below HTTP means: either the server could not be reached, or the connection broke. */
export function networkFailure(error: unknown, target: Target): ModelFailure {
  const code = codes(error).find((known) => UNREACHABLE.has(known) || isTls(known));
  if (code === undefined) return broken(error, target);
  const advice = UNREACHABLE.get(code) ?? 'its certificate is not trusted';
  const message = `Cannot reach ${target.name} at ${target.origin}: ${advice}.`;
  return { code: 'model_unreachable', message, retryable: !isTls(code) };
}

const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused. Check that the server is running and that baseUrl has the right port'],
  ['ENOTFOUND', 'the host name is not known. Check baseUrl and the network'],
  ['EAI_AGAIN', 'the host name could not be looked up. Check baseUrl and the network'],
  ['EHOSTUNREACH', 'no route to the host. Check the network'],
  ['ENETUNREACH', 'no route to the network. Check the network'],
  ['EADDRNOTAVAIL', 'the address is not available. Check baseUrl'],
  ['ETIMEDOUT', 'the connection timed out. Check the network and any firewall'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out. Check the network and any firewall'],
  ['EPROTO', 'it does not speak TLS there. Check whether baseUrl should begin with http or https'],
]);

function isTls(code: string): boolean {
  return /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF)/.test(code);
}

function broken(error: unknown, target: Target): ModelFailure {
  const code = codes(error)[0];
  const words = code ? `broke off (${code})` : 'broke off';
  const message = redact(`The connection to ${target.name} ${words} before the answer was finished.`, target.secrets);
  return { code: 'model_stream_broken', message, retryable: true };
}

/** Node wraps: fetch failed -> AggregateError -> ECONNREFUSED. The innermost cause is the one that tells. */
function codes(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 6) return [];
  const own = (error as NodeJS.ErrnoException).code;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return [...codes(inner, depth + 1), ...(typeof own === 'string' ? [own] : [])];
}
