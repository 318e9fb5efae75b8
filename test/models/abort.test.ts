import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../server/models/types.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { gate, type Script, text } from '../harness/scripted-script.ts';
import { collect, open, REMOTE, request } from './setup.ts';

let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.close());

const ABORTED: ModelEvent = { type: 'end', reason: 'aborted' };

for (const remote of REMOTE) {
  describe(remote.provider, () => {
    const begin = (script: Script, limits = {}) => {
      provider.script(() => script);
      const aborter = new AbortController();
      const stream = open(remote, provider.url, limits).stream(request(), aborter.signal)[Symbol.asyncIterator]();
      return { aborter, stream };
    };

    test('an abort in the middle ends at once and closes the connection', async () => {
      const { aborter, stream } = begin({ steps: [...text('Half'), { kind: 'stall' }] });
      await stream.next();
      const waiting = stream.next();
      aborter.abort();
      expect((await within(waiting, 500)).value).toEqual(ABORTED);
      expect((await stream.next()).done).toBe(true);
      await provider.requests.at(-1)?.closed;
      expect(provider.requests.at(-1)?.abortedAt).toBeDefined();
    });

    test('an abort before the headers ends at once and closes the connection', async () => {
      const before = provider.requests.length;
      const { aborter, stream } = begin({ delayMs: 60_000 });
      const waiting = stream.next();
      await until(() => provider.requests.length > before);
      aborter.abort();
      expect((await within(waiting, 500)).value).toEqual(ABORTED);
      await provider.requests.at(-1)?.closed;
    });

    test('an abort while waiting to try again ends at once', async () => {
      const before = provider.requests.length;
      const { aborter, stream } = begin({ status: 500 }, { backoffMs: 60_000 });
      expect((await stream.next()).value).toMatchObject({ type: 'retry', code: 'model_overloaded' });
      const waiting = stream.next();
      await provider.requests.at(-1)?.closed;
      aborter.abort();
      expect((await within(waiting, 500)).value).toEqual(ABORTED);
      expect(provider.requests.length).toBe(before + 1);
    });

    test('an abort while the reader is busy closes the connection without being asked', async () => {
      const { aborter, stream } = begin({ steps: [...text('Half'), { kind: 'stall' }] });
      await stream.next();
      aborter.abort();
      await within(provider.requests.at(-1)!.closed, 1000);
      expect((await stream.next()).value).toEqual(ABORTED);
    });

    test('an abort before the start calls nobody', async () => {
      const before = provider.requests.length;
      expect(await collect(open(remote, provider.url), request(), AbortSignal.abort())).toEqual([ABORTED]);
      expect(provider.requests.length).toBe(before);
    });

    test('a reader that leaves early closes the connection', async () => {
      const held = gate();
      provider.script(() => ({ steps: [...text('a', 'b'), { kind: 'gate', until: held.until }] }));
      for await (const event of open(remote, provider.url).stream(request(), new AbortController().signal)) {
        if (event.type === 'text') break;
      }
      await within(provider.requests.at(-1)!.closed, 1000);
      expect(provider.requests.at(-1)?.abortedAt).toBeDefined();
    });
  });
}

test('an answer that was read to its end leaves the connection open for the next one', async () => {
  provider.script(() => ({ steps: text('ok') }));
  const model = open(REMOTE[1], provider.url);
  await collect(model);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await collect(model);
  expect(provider.requests.at(-1)?.port).toBe(provider.requests.at(-2)?.port);
});

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`took more than ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
