import { FetchFailure } from '../guarded-fetch-failure.ts';
import { plainText } from './plain-text.ts';

/** Why a server cannot be used, in words for a person. */
export class ServerFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServerFailure';
  }
}

/** The server has ended the session. It has not done what was asked, so that it can be asked again. */
export class SessionGone extends Error {
  readonly connection: unknown;

  constructor(connection: unknown) {
    super('The server has ended the session.');
    this.connection = connection;
  }
}

const MOST_CHARACTERS = 500;

/** What came of talking to a server, in one sentence; whatever a server itself says in it is cut. */
export function describeFailure(error: unknown): string {
  if (error instanceof Error && error.cause instanceof FetchFailure) return describeFetchFailure(error.cause);
  if (error instanceof ServerFailure) return error.message;
  if (error instanceof FetchFailure) return describeFetchFailure(error);
  const status = httpStatus(error);
  if (status !== undefined) return describeStatus(status);
  return plainText(error instanceof Error ? error.message : String(error), MOST_CHARACTERS);
}

function describeFetchFailure(error: FetchFailure): string {
  if (error.code !== 'address_refused') return error.message;
  return 'Its URL is on this machine or in a private network. Set "allowPrivateNetwork": true to allow that.';
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `It refused access (HTTP ${status}). Set its credentials in "headers".`;
  return `It responded with HTTP ${status}.`;
}

/** The library's errors are told apart by their shape, so that nothing is loaded for it. */
export function httpStatus(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}
