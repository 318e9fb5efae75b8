import { AppError, ERROR_STATUS, type ErrorCode, type Problem } from '../contract/errors.ts';
import type { TextRef } from '../contract/texts.ts';
import { ConnectionError, ForeignServerError } from './connection-error.ts';

export type Fetch = (url: string, init: FetchInit) => Promise<Answer>;

/** What is said about a request; `fetch` takes more. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string | Blob | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
  keepalive?: boolean;
}

/** What is read of an answer; that of `fetch` has more. */
export interface Answer extends Pick<Response, 'ok' | 'status' | 'body' | 'text' | 'blob'> {
  readonly headers: Pick<Headers, 'get'>;
}
export type Query = Record<string, string | number | boolean | undefined>;

export interface TransportOptions {
  baseUrl: string;
  /** Programs send the token; a browser sends its cookie by itself. */
  token?: string | undefined;
  /** Sent with every request. */
  headers?: (() => Record<string, string>) | undefined;
  fetch?: Fetch | undefined;
  /** Puts what the server says into the language of the user; English unless given. */
  translate?: Translate | undefined;
}

export type Translate = (message: string, text: TextRef) => string;

export interface Request {
  query?: Query | undefined;
  body?: unknown;
  /** Sent as it is, instead of a body. */
  contents?: Blob | Uint8Array | undefined;
  /** Instead of the `fetch` of the client. */
  through?: Fetch | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  keepalive?: boolean | undefined;
}

/** One request, one answer: what the server refuses is an `AppError`, what never arrives a `ConnectionError`. */
export class Transport {
  readonly baseUrl: string;
  readonly #token: string | undefined;
  readonly #always: () => Record<string, string>;
  readonly #fetch: Fetch;
  readonly #translate: Translate;

  constructor(options: TransportOptions) {
    const { baseUrl, token, headers, translate = (message) => message } = options;
    const { fetch = globalThis.fetch.bind(globalThis) } = options;
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#token = token;
    this.#always = headers ?? (() => ({}));
    this.#fetch = fetch;
    this.#translate = translate;
  }

  async json<T>(method: string, path: string, request: Request = {}): Promise<T> {
    const response = await this.send(method, path, request);
    const text = await this.#readAll(response, request.signal);
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      throw new ForeignServerError(this.baseUrl);
    }
  }

  async text(path: string, request: Request = {}): Promise<string> {
    return this.#readAll(await this.send('GET', path, request), request.signal);
  }

  /** The answer with its body still unread. */
  async send(method: string, path: string, request: Request): Promise<Answer> {
    const response = await this.#reach(method, path, request);
    if (response.ok) return response;
    throw toError(response, await this.#readAll(response, request.signal), this.#translate);
  }

  async #reach(method: string, path: string, request: Request): Promise<Answer> {
    const { query, body, contents, through, headers, signal, keepalive } = request;
    const init: FetchInit = { method, headers: this.#headers(body, headers) };
    if (body !== undefined) init.body = JSON.stringify(body);
    if (contents) init.body = contents as Blob;
    if (signal) init.signal = signal;
    if (keepalive) init.keepalive = true;
    const url = `${this.baseUrl}${path}${toSearch(query)}`;
    try {
      return await (through ?? this.#fetch)(url, init);
    } catch (error) {
      throw this.failure(error, signal);
    }
  }

  async #readAll(response: Answer, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.failure(error, signal);
    }
  }

  /** An abort stays what it is; everything else that `fetch` throws means that the server was not reached. */
  failure(error: unknown, signal: AbortSignal | undefined): unknown {
    return signal?.aborted ? signal.reason : new ConnectionError(this.baseUrl, error);
  }

  #headers(body: unknown, more: Record<string, string> | undefined): Record<string, string> {
    return {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` }),
      ...this.#always(),
      ...more,
    };
  }
}

function toSearch(query: Query | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

function toError(response: Answer, text: string, translate: Translate): AppError {
  const problem = readProblem(text);
  const retryAfterSeconds = Number(response.headers.get('retry-after')) || undefined;
  if (!problem)
    return new AppError(codeFor(response.status), `Unexpected response from the server (status ${response.status}).`);
  const { key, values } = problem.text ?? { key: problem.code, values: {} };
  const message = translate(problem.detail, { key, values });
  return new AppError(
    problem.code,
    { key, values, message },
    {
      ...(problem.issues && { issues: problem.issues }),
      ...(problem.conflicts && { conflicts: problem.conflicts }),
      ...(retryAfterSeconds && { retryAfterSeconds }),
    },
  );
}

function readProblem(text: string): Problem | undefined {
  try {
    const problem = JSON.parse(text) as Problem;
    return problem.code in ERROR_STATUS ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** For answers of something in between, like a proxy. */
function codeFor(status: number): ErrorCode {
  if (status === 401) return 'unauthorized';
  if (status === 404) return 'route_not_found';
  return status === 503 || status === 429 ? 'overloaded' : 'internal_error';
}
