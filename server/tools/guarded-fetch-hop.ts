import { promises as dns, type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { isPublicAddress } from './guarded-fetch-address.ts';
import { FetchFailure, networkFailure } from './guarded-fetch-failure.ts';

export interface FetchGuard {
  /** Hosts (`name` or `name:port`) that may be in a private network. */
  readonly allowHosts: readonly string[];
  /** Looks a name up; the system does unless told otherwise. */
  readonly resolve?: ((host: string) => Promise<LookupAddress[]>) | undefined;
}

export interface Outgoing {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
}

/** One request, and no more: redirects are answers. The address that is connected to is the one that was checked. */
export function sendOnce(guard: FetchGuard, url: URL, request: Outgoing): Promise<http.IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const mayBePrivate = isAllowedHost(guard, url);
  assertFetchable(url, mayBePrivate);
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request(url, {
      method: request.method,
      headers: sentHeaders(request),
      // Of its own: no connection that was made under another check, and no proxy that the environment names.
      agent: isSecure ? new https.Agent() : new http.Agent(),
      lookup: checkedLookup(guard, url, mayBePrivate),
      signal: request.signal,
    });
    outgoing.once('socket', (socket) => checkSocket(socket, () => mayBePrivate || outgoing.destroy(refused(url))));
    outgoing.once('response', resolve);
    outgoing.on('error', (error) =>
      reject(request.signal.aborted ? request.signal.reason : networkFailure(url.host, error)),
    );
    outgoing.end(request.body ?? undefined);
  });
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

/** Asked once per connection. One private address among public ones is reason enough to refuse. */
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

/** Once more, now that it is known who answers. */
function checkSocket(socket: Socket, refuse: () => unknown): void {
  socket.once('connect', () => {
    if (!socket.remoteAddress || !isPublicAddress(socket.remoteAddress)) refuse();
  });
}

/** What belongs to the connection is ours to say. */
const OURS = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/;

function sentHeaders({ headers, body, method }: Outgoing): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of headers) if (!OURS.test(name)) sent[name] = value;
  sent['accept-encoding'] = 'gzip, deflate, br';
  sent['user-agent'] ??= 'Parley';
  if (body || method !== 'GET') sent['content-length'] = String(body?.length ?? 0);
  return sent;
}

function refused(url: URL): FetchFailure {
  const hint = 'To allow it, add it to tools.fetch.allowHosts.';
  return new FetchFailure(`${url.host} is on this machine or in a private network. ${hint}`, 'address_refused');
}
