import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { isPublicAddress } from './guarded-fetch-address.ts';
import { FetchFailure, networkFailure } from './guarded-fetch-failure.ts';

export interface FetchGuard {
  /** Hosts (`name` or `name:port`) that may be in a private network. */
  readonly allowHosts: readonly string[];
  /** Looks a name up; the system does unless told otherwise. */
  readonly resolve?: ((host: string) => Promise<LookupAddress[]>) | undefined;
}

type Connector = buildConnector.connector;

export interface Outgoing {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly signal: AbortSignal;
}

/** One request: a redirect is returned, not followed. The address that is connected to is the one that was checked. */
export async function sendOnce(guard: FetchGuard, url: URL, request: Outgoing): Promise<Response> {
  const mayBePrivate = isAllowedHost(guard, url);
  assertFetchable(url, mayBePrivate);
  const { Agent, fetch } = await import('undici');
  // One connection for one request: none that was made under another check, and no proxy that the environment names.
  const dispatcher = new Agent({
    connect: await checkedConnector(guard, url, mayBePrivate),
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { method, body, signal } = request;
  try {
    const options = { method, headers: sentHeaders(request), body, signal, redirect: 'manual', dispatcher } as const;
    return (await fetch(url, options)) as unknown as Response;
  } catch (error) {
    throw signal.aborted ? signal.reason : networkFailure(url.host, (error as Error).cause);
  }
}

function isAllowedHost({ allowHosts }: FetchGuard, url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const names = new Set([url.hostname, `${url.hostname}:${port}`]);
  return allowHosts.some((host) => names.has(host.toLowerCase()));
}

function assertFetchable(url: URL, mayBePrivate: boolean): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchFailure('Only http and https URLs can be fetched.', 'url_invalid');
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchFailure('URLs with a user name or password are not fetched.', 'url_invalid');
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!mayBePrivate && isIP(literal) !== 0 && !isPublicAddress(literal)) throw refused(url);
}

/** Checks the addresses of a name before connecting, and the address of the peer once connected. */
async function checkedConnector(guard: FetchGuard, url: URL, mayBePrivate: boolean): Promise<Connector> {
  const { buildConnector } = await import('undici');
  const connect = buildConnector({ lookup: checkedLookup(guard, url, mayBePrivate) });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (mayBePrivate || isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(refused(url), null);
    });
}

/** One private address among public ones is enough to refuse. */
function checkedLookup(guard: FetchGuard, url: URL, mayBePrivate: boolean): LookupFunction {
  const resolve = guard.resolve ?? ((host) => dns.lookup(host, { all: true }));
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const first = addresses[0];
        if (!first) callback(networkFailure(url.host, { code: 'ENOTFOUND' }), '');
        else if (!mayBePrivate && !addresses.every(({ address }) => isPublicAddress(address)))
          callback(refused(url), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
}

/** Headers of the connection itself, which the transport sets. */
const CONNECTION =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/;

function sentHeaders({ headers }: Outgoing): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of headers) if (!CONNECTION.test(name)) sent[name] = value;
  sent['accept-encoding'] = 'gzip, deflate, br';
  sent['user-agent'] ??= 'Parley';
  return sent;
}

function refused(url: URL): FetchFailure {
  const hint = 'To allow it, add it to tools.fetch.allowHosts.';
  return new FetchFailure(`${url.host} is on this machine or in a private network. ${hint}`, 'address_refused');
}
