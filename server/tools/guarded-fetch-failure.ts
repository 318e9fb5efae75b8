import { ToolFailure } from './tool.ts';

export type FetchFailureCode =
  | 'url_invalid'
  | 'address_refused'
  | 'redirect_refused'
  | 'too_large'
  | 'timed_out'
  | 'unreadable'
  | 'unreachable';

/** A request that was not made, or whose answer is not given, in words that may be passed on. */
export class FetchFailure extends ToolFailure {
  declare readonly code: FetchFailureCode;

  constructor(message: string, code: FetchFailureCode) {
    super(message, code);
    this.name = 'FetchFailure';
  }
}

const WORDS: Record<string, string> = {
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'no response',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
};

/** What the network says, without the addresses it names. */
export function networkFailure(host: string, error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const { code } = error as NodeJS.ErrnoException;
  const reason =
    WORDS[code ?? ''] ?? (isCertificateProblem(code) ? 'the certificate is not valid' : 'the connection failed');
  return new FetchFailure(`Can't reach ${host}: ${reason}.`, 'unreachable');
}

function isCertificateProblem(code: string | undefined): boolean {
  return code !== undefined && /CERT|SIGNATURE|ALTNAME/.test(code);
}
