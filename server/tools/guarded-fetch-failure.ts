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
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up right now',
  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
};

/** What the network says, without the addresses it names. */
export function networkFailure(host: string, error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const { code } = error as NodeJS.ErrnoException;
  const reason =
    WORDS[code ?? ''] ?? (isCertificateProblem(code) ? 'its certificate is not valid' : 'the connection failed');
  return new FetchFailure(`${host} cannot be reached: ${reason}.`, 'unreachable');
}

function isCertificateProblem(code: string | undefined): boolean {
  return code !== undefined && /CERT|SIGNATURE|ALTNAME/.test(code);
}
