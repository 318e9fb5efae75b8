import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startChild } from '../../server/processes/child.ts';
import { cleanEnvironment } from '../../server/processes/environment.ts';
import { type GuardedRequest, guardedFetch } from '../../server/tools/guarded-fetch.ts';
import { isPublicAddress } from '../../server/tools/guarded-fetch-hop.ts';
import { WebServer } from './web-server.ts';

let site: WebServer;
let other: WebServer;
beforeEach(async () => {
  site = await WebServer.start();
  other = await WebServer.start();
});
afterEach(async () => {
  await site.close();
  await other.close();
});

const limits = { maxBytes: 100_000, timeoutMs: 5000 };
const get = (path = '/', more: Partial<GuardedRequest> = {}) =>
  guardedFetch(`${site.url}${path}`, { allowHosts: [site.host], ...limits, ...more });
const code = (expected: string) => expect.objectContaining({ name: 'FetchFailure', code: expected });

describe('an answer', () => {
  it('is given with its status, its headers and its address', async () => {
    site.answer = (_request, response) => response.writeHead(404, { 'X-Kind': 'missing' }).end('nothing here');
    const answer = await get('/x?y=1');
    expect(answer).toMatchObject({ status: 404, url: `${site.url}/x?y=1` });
    expect(answer.headers.get('x-kind')).toBe('missing');
    expect(answer.body.toString()).toBe('nothing here');
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('compressed with %s is read', async (encoding, compress) => {
    site.answer = (_request, response) =>
      response.writeHead(200, { 'Content-Encoding': encoding }).end(compress('words '.repeat(500)));
    const answer = await get();
    expect(answer.body.toString()).toBe('words '.repeat(500));
    expect(answer.headers.has('content-encoding')).toBe(false);
    expect(site.requests[0]!.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it('compressed in another way, or badly, is a failure', async () => {
    site.answer = (_request, response) => response.writeHead(200, { 'Content-Encoding': 'zstd' }).end('?');
    await expect(get()).rejects.toEqual(code('unreadable'));
    site.answer = (_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('not gzip');
    await expect(get()).rejects.toEqual(code('unreachable'));
  });

  it('may be as large as the limit and no larger', async () => {
    site.answer = (_request, response) => response.end('x'.repeat(100_000));
    expect((await get()).body.length).toBe(100_000);
    site.answer = (_request, response) => response.end('x'.repeat(100_001));
    await expect(get()).rejects.toEqual(code('too_large'));
    site.answer = (_request, response) => {
      const more = () => !response.destroyed && response.write('y'.repeat(10_000), () => setImmediate(more));
      more();
    };
    await expect(get()).rejects.toEqual(code('too_large'));
    await expect.poll(() => site.cut).toBeGreaterThan(0);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('that blows up when it is unpacked (%s) is cut off', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(50_000_000));
    site.answer = (_request, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(bomb);
    expect(bomb.length).toBeLessThan(limits.maxBytes);
    await expect(get()).rejects.toEqual(code('too_large'));
  });

  it('that drips, stalls or never begins is given up', async () => {
    site.answer = (_request, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    };
    await expect(get('/', { timeoutMs: 150 })).rejects.toEqual(code('timed_out'));
    site.answer = () => {};
    await expect(get('/', { timeoutMs: 100 })).rejects.toEqual(code('timed_out'));
    await expect.poll(() => site.cut).toBe(2);
  });

  it('is no longer waited for when the caller gives up, in the words of the caller', async () => {
    site.answer = () => {};
    const abort = new AbortController();
    const answer = get('/', { signal: abort.signal });
    await expect.poll(() => site.requests.length).toBe(1);
    abort.abort(new Error('no longer wanted'));
    await expect(answer).rejects.toThrow('no longer wanted');
  });

  it('that breaks off is a failure, and so is a server that is not there', async () => {
    site.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
    };
    await expect(get()).rejects.toEqual(code('unreachable'));
    const { url, host } = other;
    await other.close();
    await expect(guardedFetch(url, { allowHosts: [host], ...limits })).rejects.toThrow('connection refused');
    other = await WebServer.start();
  });
});

describe('what is not fetched', () => {
  const port = () => site.host.split(':')[1];

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '017700000001',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '10.0.0.1',
    '169.254.169.254',
    '[fd00:ec2::254]',
    'localhost',
  ])('%s', async (host) => {
    const answer = guardedFetch(`http://${host}:${port()}/`, { allowHosts: [], ...limits });
    await expect(answer).rejects.toEqual(code('address_refused'));
    expect(site.requests).toEqual([]);
  });

  it('a name that leads into a private network, even beside a public address', async () => {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const answer = guardedFetch(`http://rebind.test:${port()}/`, { allowHosts: [], resolve, ...limits });
    await expect(answer).rejects.toEqual(code('address_refused'));
    expect(site.requests).toEqual([]);
  });

  it('a name that is asked for once leads nowhere else when it is asked for again', async () => {
    let asked = 0;
    const resolve = async () => [{ address: asked++ === 0 ? '2d00::1' : '::ffff:127.0.0.1', family: 6 }];
    const answer = guardedFetch(`http://rebind.test:${port()}/`, {
      allowHosts: [],
      resolve,
      maxBytes: 10,
      timeoutMs: 200,
    });
    await expect(answer).rejects.toMatchObject({ name: 'FetchFailure' });
    expect([asked, site.requests.length]).toEqual([1, 0]);
  });

  it('says nothing about where a name leads', async () => {
    const resolve = async () => [{ address: '10.20.30.40', family: 4 }];
    const answer = guardedFetch('http://intranet.test/', { allowHosts: [], resolve, ...limits });
    await expect(answer).rejects.toThrow(/^intranet\.test is on this machine or in a private network\./);
    await expect(answer).rejects.not.toThrow('10.20');
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,x', 'javascript:1', 'nonsense', ''])(
    'the address %j',
    async (address) => {
      await expect(guardedFetch(address, { allowHosts: ['*'], ...limits })).rejects.toEqual(code('url_invalid'));
    },
  );

  it('an address with a password in it', async () => {
    const address = site.url.replace('//', '//user:secret@');
    await expect(guardedFetch(address, { allowHosts: [site.host], ...limits })).rejects.toEqual(code('url_invalid'));
  });

  it('through a proxy that the environment names', async () => {
    const script = `const { guardedFetch } = await import(${JSON.stringify(new URL('../../server/tools/guarded-fetch.ts', import.meta.url).href)});
      const answer = await guardedFetch('${site.url}', { allowHosts: ['${site.host}'], maxBytes: 1000, timeoutMs: 5000 });
      console.log(answer.body.toString());`;
    const env = cleanEnvironment(process.env, {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: other.url,
      http_proxy: other.url,
    });
    const child = await startChild({ command: process.execPath, args: ['--input-type=module', '-e', script], env });
    const lines: string[] = [];
    for await (const line of child.lines) lines.push(line);
    expect(lines, child.stderrTail()).toEqual(['hello']);
    expect(other.requests).toEqual([]);
  });
});

describe('a host that the owner allowed', () => {
  it('is one host, with or without its port', async () => {
    const [name, port] = site.host.split(':');
    expect((await get('/', { allowHosts: [name!] })).status).toBe(200);
    await expect(get('/', { allowHosts: [`${name}:${Number(port) + 1}`] })).rejects.toEqual(code('address_refused'));
    await expect(get('/', { allowHosts: ['0.0.1', 'localhost', '*'] })).rejects.toEqual(code('address_refused'));
    expect(
      (await guardedFetch(site.url.replace('127.0.0.1', 'localhost'), { allowHosts: ['LocalHost'], ...limits })).status,
    ).toBe(200);
  });
});

describe('a redirect', () => {
  const redirect = (to: string, status = 302) => {
    site.answer = (request, response) =>
      request.url === '/' ? response.writeHead(status, { Location: to }).end('see there') : response.end('arrived');
  };

  it('is followed within a host', async () => {
    redirect('/there', 308);
    const answer = await get('/', { method: 'POST', body: 'words', headers: { Authorization: 'Bearer x' } });
    expect(answer.url).toBe(`${site.url}/there`);
    expect(site.requests[1]).toMatchObject({ method: 'POST', body: 'words', headers: { authorization: 'Bearer x' } });
    redirect('/there', 303);
    await get('/', { method: 'POST', body: 'words', headers: { 'Content-Type': 'text/plain' } });
    expect(site.requests[3]).toMatchObject({ method: 'GET', body: '' });
    expect(site.requests[3]!.headers['content-type']).toBeUndefined();
  });

  it('into a private network is not, however it is reached', async () => {
    redirect(`${other.url}/secret`);
    await expect(get()).rejects.toEqual(code('address_refused'));
    redirect(`http://localhost:${other.host.split(':')[1]}/secret`);
    await expect(get()).rejects.toEqual(code('address_refused'));
    redirect('http://[::ffff:127.0.0.1]/');
    await expect(get()).rejects.toEqual(code('address_refused'));
    expect(other.requests).toEqual([]);
  });

  it('to something that is no web address is not', async () => {
    for (const target of ['file:///etc/passwd', `http://a:b@${site.host}/`, 'gopher://x/']) {
      redirect(target);
      await expect(get()).rejects.toEqual(code('url_invalid'));
    }
    redirect('http://[');
    await expect(get()).rejects.toEqual(code('redirect_refused'));
  });

  it('to another origin takes along no credentials, and nothing that was sent', async () => {
    redirect(`${other.url}/`, 307);
    const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Api-Key': 'k', Accept: 'text/plain' };
    const both = { allowHosts: [site.host, other.host], headers };
    await get('/', both);
    expect(other.requests[0]!.headers).toMatchObject({ accept: 'text/plain' });
    expect(Object.keys(other.requests[0]!.headers)).not.toContain('authorization');
    expect(JSON.stringify(other.requests[0])).not.toMatch(/Bearer|a=b|x-api-key/i);
    await expect(get('/', { ...both, method: 'POST', body: 'words' })).rejects.toEqual(code('redirect_refused'));
    expect(other.requests.length).toBe(1);
  });

  it('is followed five times and no more', async () => {
    site.answer = (request, response) => {
      const left = Number(request.url!.slice(1));
      if (left === 0) response.end('arrived');
      else response.writeHead(302, { Location: `/${left - 1}` }).end();
    };
    expect((await get('/5')).body.toString()).toBe('arrived');
    await expect(get('/6')).rejects.toEqual(code('redirect_refused'));
  });

  it('does not start the clock anew', async () => {
    site.answer = (_request, response) => setTimeout(() => response.writeHead(302, { Location: '/' }).end(), 60);
    await expect(get('/', { timeoutMs: 150 })).rejects.toEqual(code('timed_out'));
  });
});

describe('addresses', () => {
  it.each(['8.8.8.8', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1', '2606:4700:4700::1111', '172.32.0.1'])(
    '%s is in the internet',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '100.64.0.1',
    '100.127.255.255',
    '168.63.129.16',
    '172.31.255.255',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '0:0:0:0:0:ffff:a00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::8.8.8.8',
    '2001::1',
    '2001:db8::1',
    'fc00::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'nonsense',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));
});
