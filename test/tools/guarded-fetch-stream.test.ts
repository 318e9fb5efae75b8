import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedFetch, type GuardedFetchSettings } from '../../server/tools/guarded-fetch-stream.ts';
import { WebServer } from './web-server.ts';

let site: WebServer;
beforeEach(async () => {
  site = await WebServer.start();
});
afterEach(() => site.close());

const guarded = (more: Partial<GuardedFetchSettings> = {}) => createGuardedFetch({ allowHosts: [site.host], ...more });
const code = (expected: string) => expect.objectContaining({ name: 'FetchFailure', code: expected });
const events = { 'Content-Type': 'text/event-stream' };

describe('the guard in the shape of fetch', () => {
  it('answers like fetch does', async () => {
    site.answer = (request, response, body) =>
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify([request.method, body]));
    const response = await guarded()(new URL(site.url), { method: 'POST', body: '{"a":1}', headers: { 'X-A': 'b' } });
    expect([response.status, response.ok, response.url, response.redirected]).toEqual([
      201,
      true,
      `${site.url}/`,
      false,
    ]);
    expect(await response.json()).toEqual(['POST', '{"a":1}']);
    expect(site.requests[0]!.headers).toMatchObject({ 'x-a': 'b', 'content-length': '7' });
    site.answer = (_request, response) => response.writeHead(204).end();
    expect((await guarded()(new Request(site.url, { method: 'DELETE' }))).body).toBeNull();
    site.answer = (_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('packed'));
    expect(await (await guarded()(site.url)).text()).toBe('packed');
  });

  it('refuses what the guard refuses', async () => {
    await expect(createGuardedFetch({ allowHosts: [] })(site.url)).rejects.toEqual(code('address_refused'));
    site.answer = (_request, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
    await expect(guarded()(site.url)).rejects.toEqual(code('address_refused'));
    await expect(guarded()(site.url, { redirect: 'error' })).rejects.toEqual(code('redirect_refused'));
    expect((await guarded()(site.url, { redirect: 'manual' })).headers.get('location')).toBe('http://127.0.0.1:1/');
  });

  it('hands on events as they arrive, and ends when nobody reads any more', async () => {
    site.answer = (_request, response) => response.writeHead(200, events).write('data: 1\n\n');
    const response = await guarded()(site.url);
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n');
    await reader.cancel();
    await expect.poll(() => site.cut).toBe(1);
  });

  it('ends a stream when its signal does', async () => {
    site.answer = (_request, response) => response.writeHead(200, events).write('data: 1\n\n');
    const abort = new AbortController();
    const reader = (await guarded()(site.url, { signal: abort.signal })).body!.getReader();
    await reader.read();
    abort.abort();
    await expect(reader.read()).rejects.toThrow();
    await expect.poll(() => site.cut).toBe(1);
  });

  it('lets a stream of events go on, but no single event', async () => {
    const settings = { maxEventBytes: 100, maxBytes: 50 };
    site.answer = (_request, response) =>
      response.writeHead(200, events).end(`data: ${'x'.repeat(90)}\r\n\r\n`.repeat(40));
    expect((await (await guarded(settings)(site.url)).text()).length).toBe(4000);
    site.answer = (_request, response) => response.writeHead(200, events).end(`data: ${'x'.repeat(90)}\n`.repeat(2));
    await expect((await guarded(settings)(site.url)).text()).rejects.toEqual(code('too_large'));
  });

  it('gives up on what is too large, too slow to begin or too slow to go on', async () => {
    site.answer = (_request, response) => response.end('x'.repeat(51));
    await expect((await guarded({ maxBytes: 50 })(site.url)).text()).rejects.toEqual(code('too_large'));
    site.answer = (_request, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).write('half');
    await expect((await guarded({ idleMs: 50 })(site.url)).text()).rejects.toEqual(code('timed_out'));
    site.answer = (_request, response) => response.writeHead(200, events).write('data: 1\n\n');
    await expect((await guarded({ eventIdleMs: 50 })(site.url)).text()).rejects.toEqual(code('timed_out'));
    site.answer = () => {};
    await expect(guarded({ headersMs: 50 })(site.url)).rejects.toEqual(code('timed_out'));
  });

  it('does not hold a stream to the time in which it had to begin', async () => {
    site.answer = (_request, response) => {
      response.writeHead(200, events).write('data: 1\n\n');
      setTimeout(() => response.end('data: 2\n\n'), 300);
    };
    expect(await (await guarded({ headersMs: 150 })(site.url)).text()).toBe('data: 1\n\ndata: 2\n\n');
  });
});
