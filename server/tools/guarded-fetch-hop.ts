import { promises as dns, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
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
  assertFetchable(guard, url);
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

/** Refuses what is no address of the internet by its looks; what a name stands for is checked once it is looked up. */
export function assertFetchable(guard: FetchGuard, url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchFailure('Only http and https URLs can be fetched.', 'url_invalid');
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchFailure('URLs with a user name or password are not fetched.', 'url_invalid');
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!isAllowedHost(guard, url) && isIP(literal) !== 0 && !isPublicAddress(literal)) throw refused(url);
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

/** Where no request goes by itself: this machine, its networks, and what is not a place in the internet. */
const REFUSED = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Also where clouds tell a machine its secrets; the one below is Azure's, in the middle of public space.
  '169.254.0.0/16',
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
const PUBLIC_V6 = blockList('ipv6', ['2000::/3']);
const REFUSED_V6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '3fff::/20']);

/** IPv6 addresses that stand for an IPv4 address, and where in their eight words it is. */
const EMBEDDING: readonly [list: BlockList, word: number][] = [
  [blockList('ipv6', ['::ffff:0:0/96']), 6],
  [blockList('ipv6', ['64:ff9b::/96']), 6],
  [blockList('ipv6', ['2002::/16']), 1],
];

/** Whether an address is in the internet, and not in a network that only this machine can see. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !REFUSED.check(address, 'ipv4');
  return version === 6 && isPublicV6(address);
}

function isPublicV6(address: string): boolean {
  if (address.includes('%')) return false;
  const words = wordsOf(address);
  const plain = words.map((word) => word.toString(16)).join(':');
  const word = EMBEDDING.find(([list]) => list.check(plain, 'ipv6'))?.[1];
  if (word !== undefined) return isPublicAddress(toV4(words[word]!, words[word + 1]!));
  return PUBLIC_V6.check(plain, 'ipv6') && !REFUSED_V6.check(plain, 'ipv6');
}

function toV4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight words of an address that is known to be one, however it is written. */
function wordsOf(address: string): number[] {
  const [head = '', tail] = withoutDots(address).split('::');
  const [before, after] = [numbersIn(head), numbersIn(tail ?? '')];
  return [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
}

function numbersIn(text: string): number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
}

/** `::ffff:127.0.0.1` is also a way to write it. */
function withoutDots(address: string): string {
  const start = address.lastIndexOf(':') + 1;
  if (!address.includes('.')) return address;
  const [a = 0, b = 0, c = 0, d = 0] = address.slice(start).split('.').map(Number);
  return `${address.slice(0, start)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function blockList(version: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', bits] = subnet.split('/');
    list.addSubnet(net, Number(bits), version);
  }
  return list;
}
