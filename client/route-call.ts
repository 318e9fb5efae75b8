import type { z } from 'zod';
import { type ClientRoute, ENDPOINTS, type Routes } from './endpoints.ts';
import type { Fetch, Query, Request } from './transport.ts';

/** Answered with JSON, or with nothing. */
export type JsonRoute = Exclude<
  {
    [N in ClientRoute]: Routes[N] extends { media: 'text/event-stream' | 'text/plain' | '*/*' } ? never : N;
  }[ClientRoute],
  // Has a method of its own, which repeats it.
  'reviseMessage'
>;
/** Answered with text, always or on request. */
export type TextRoute = {
  [N in ClientRoute]: Routes[N] extends { media: 'text/plain' | 'text/markdown' } ? N : never;
}[ClientRoute];

export type Response<N extends ClientRoute> = Routes[N] extends { response: infer S } ? Output<S> : undefined;

/** What a route takes: the parameters of its path by name, and everything else the table says of it. */
export type Asked<N extends ClientRoute> = N extends ClientRoute ? RouteFields<Routes[N]> & Options : never;

/** Of one route: of several at once, every combination of their fields would be a type. */
type RouteFields<R> = PathParameters<R> & QueryField<R> & BodyField<R> & ContentsField<R> & VersionField<R>;

export interface Options {
  signal?: AbortSignal | undefined;
  /** A browser sends it even when the page is left meanwhile. */
  keepalive?: boolean | undefined;
}

/** Left out when a route needs nothing. */
export type Args<N extends ClientRoute> = Nothing extends Asked<N> ? [asked?: Asked<N>] : [asked: Asked<N>];

type Nothing = Record<never, never>;
type Input<S> = S extends z.ZodType ? z.input<S> : never;
type Output<S> = S extends z.ZodType ? z.output<S> : never;

type PathParameters<R> = R extends { params: infer S } ? Input<S> : Nothing;
type QueryField<R> = R extends { query: infer S } ? Field<'query', QueryInput<Input<S>, Output<S>>> : Nothing;
type BodyField<R> = R extends { body: infer S; bodyOptional: true }
  ? { body?: Input<S> }
  : R extends { body: infer S }
    ? { body: Input<S> }
    : Nothing;
type ContentsField<R> = R extends { upload: true } ? Contents : Nothing;
interface Contents {
  contents: Blob | Uint8Array;
  mediaType?: string;
  /** What sends them instead of `fetch`, and may tell how much has been sent. */
  through?: Fetch;
}
/** The version that a change is based on: one that another client made meanwhile is not overwritten. */
type VersionField<R> = R extends { versioned: 'checked' } ? { version?: string | undefined } : Nothing;

type Field<K extends string, T> = Nothing extends T ? { [key in K]?: T | undefined } : { [key in K]: T };
/** Numbers and flags as what they are; they become text on their way. */
type QueryInput<I, O> = { [K in keyof I]: QueryValue<I[K], K extends keyof O ? O[K] : never> };
type QueryValue<I, O> = unknown extends I ? O | undefined : I extends 'true' | 'false' | undefined ? I | boolean : I;

/** The request that a call of a route stands for. */
export function toRequest(name: ClientRoute, asked: object = {}): { method: string; path: string; request: Request } {
  const { query, body, contents, through, mediaType, version, signal, keepalive } = asked as Fields;
  const [method, path] = ENDPOINTS[name].split(' ') as [string, string];
  const type = contents && (mediaType || (contents as Blob).type || 'application/octet-stream');
  const headers = {
    ...(type && { 'Content-Type': type }),
    ...(version !== undefined && { 'If-Match': version }),
  };
  return {
    method,
    path: fillPath(path, asked as Record<string, unknown>),
    request: { query, body, contents, through, headers, signal, keepalive },
  };
}

interface Fields extends Options {
  query?: Query;
  body?: unknown;
  contents?: Blob | Uint8Array;
  through?: Fetch;
  mediaType?: string;
  version?: string;
}

/** `{name+}` keeps its slashes: agents have some in their names. */
function fillPath(path: string, values: Record<string, unknown>): string {
  return path.replaceAll(/\{(\w+)(\+?)\}/g, (_, name: string, many: string) =>
    many ? String(values[name]).split('/').map(encodeURIComponent).join('/') : encodeURIComponent(String(values[name])),
  );
}
