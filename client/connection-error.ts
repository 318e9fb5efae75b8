/** The server could not be reached, or the connection broke before the answer was complete. */
export class ConnectionError extends Error {
  readonly url: string;

  constructor(url: string, cause?: unknown) {
    super(`Can't reach Parley at ${url}${reasonOf(cause)}.`, { cause });
    this.name = 'ConnectionError';
    this.url = url;
  }
}

/** What answers at the address is not Parley: a page of another program, or of a network that wants a sign-in. */
export class ForeignServerError extends ConnectionError {
  constructor(url: string) {
    super(url, new Error('another program answers there'));
  }
}

/** What `fetch` hides behind "fetch failed". Browsers give no reason: theirs only says that it failed, in many ways. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return ' (the connection was closed)';
  const inner = cause.cause;
  if (inner instanceof Error) return ` (${'code' in inner ? String(inner.code) : inner.message})`;
  return cause instanceof TypeError ? '' : ` (${cause.message})`;
}
