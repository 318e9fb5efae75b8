import { BlockList, isIP } from 'node:net';

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
