import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openModel } from '../../server/models/open.ts';
import type { ModelLimits } from '../../server/models/types.ts';
import { closedPort, ScriptedProvider } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { collect, endOf, failureIn, KEY, LIMITS, open, REMOTE, said } from './setup.ts';

let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.close());
afterEach(() => {
  provider.requests.length = 0;
});

const HTML = '<!DOCTYPE html>\n<html><head><title>503 Service Unavailable</title></head><body>x</body></html>';

for (const remote of REMOTE) {
  describe(remote.provider, () => {
    const answer = (script: Script, limits: Partial<ModelLimits> = {}) => {
      provider.script(() => script);
      return collect(open(remote, provider.url, limits));
    };

    test('a refused connection names the address and what to check', async () => {
      const url = await closedPort();
      const failure = failureIn(await collect(open(remote, `${url}/v1`, { maxAttempts: 2 })));
      expect(failure).toMatchObject({ code: 'model_unreachable', retryable: true });
      expect(failure.message).toContain(url);
      expect(failure.message).not.toContain('/v1');
      expect(failure.message).toContain('Check that the server is running');
    });

    test('silence before the first event ends after the first-token limit, without a second try', async () => {
      const events = await answer({ delayMs: 5000 }, { firstTokenMs: 300 });
      expect(failureIn(events)).toMatchObject({ code: 'model_first_token_timeout', retryable: true });
      expect(provider.requests).toHaveLength(1);
    });

    test('silence in the middle ends after the idle limit and keeps what was said', async () => {
      const events = await answer({ steps: [...text('So'), { kind: 'stall' }] }, { idleMs: 60 });
      expect(said(events)).toBe('So');
      expect(failureIn(events).code).toBe('model_idle_timeout');
    });

    test('pings do not count as an answer', async () => {
      const events = await answer({ steps: [...text('So'), { kind: 'stall', pingMs: 10 }] }, { idleMs: 80 });
      expect(failureIn(events).code).toBe('model_idle_timeout');
    });

    test('a slow answer that keeps coming is never cut off', async () => {
      const slow = { kind: 'repeat', text: 'x', count: 6, delayMs: 60 } as const;
      const events = await answer({ steps: [slow] }, { idleMs: 250, firstTokenMs: 500 });
      expect([said(events), endOf(events).reason]).toEqual(['xxxxxx', 'stop']);
    });

    test('a reset before the first word is tried again', async () => {
      const events = await answer({ steps: [{ kind: 'reset' }] });
      expect(failureIn(events)).toMatchObject({ code: 'model_stream_broken', retryable: true });
      expect(provider.requests).toHaveLength(3);
    });

    test('a reset in the middle keeps what was said and is not tried again', async () => {
      const events = await answer({ steps: [...text('Half'), { kind: 'reset' }] });
      expect(said(events)).toBe('Half');
      expect(failureIn(events).code).toBe('model_stream_broken');
      expect(provider.requests).toHaveLength(1);
    });

    test('an error inside the stream after words ends it, with the words kept and no second try', async () => {
      const steps = [...text('Half'), { kind: 'error', message: 'engine died', type: 'server_error' }] as const;
      const events = await answer({ steps });
      expect(said(events)).toBe('Half');
      expect(failureIn(events).message).toContain('engine died');
      expect(provider.requests).toHaveLength(1);
    });

    test('an error inside the stream before any word is tried again', async () => {
      const error = { kind: 'error', message: 'Overloaded', type: 'overloaded_error', code: 'server_error' } as const;
      const scripts: Script[] = [{ steps: [error] }, { steps: text('Now') }];
      provider.script(() => scripts.shift() ?? {});
      const events = await collect(open(remote, provider.url));
      expect([said(events), endOf(events).reason]).toEqual(['Now', 'stop']);
    });

    test('an HTML page becomes one readable sentence', async () => {
      const events = await answer({ status: 503, headers: { 'content-type': 'text/html' }, body: HTML });
      const { code, message } = failureIn(events);
      expect(code).toBe('model_overloaded');
      expect(message).toContain('an HTML page titled "503 Service Unavailable"');
      expect(message).not.toContain('<');
    });

    test('an HTML page that calls itself a success is not taken for an answer', async () => {
      const events = await answer({ status: 200, headers: { 'content-type': 'text/html' }, body: HTML });
      expect(endOf(events).reason).toBe('error');
      const { code, message, retryable } = failureIn(events);
      expect({ code, retryable }).toEqual({ code: 'model_not_found', retryable: false });
      expect(message).toContain('an HTML page titled');
      expect(provider.requests).toHaveLength(1);
    });

    test('a port that no provider can have is said to be the reason', async () => {
      const failure = failureIn(await collect(open(remote, 'http://127.0.0.1:9/v1', { maxAttempts: 1 })));
      expect(failure.code).toBe('model_unreachable');
      expect(failure.message).toContain('right port');
    });

    test('empty deltas are no sign of life', async () => {
      const empty = { kind: 'repeat', text: '', count: 100, delayMs: 10 } as const;
      const events = await answer({ steps: [...text('So'), empty] }, { idleMs: 150 });
      expect(said(events)).toBe('So');
      expect(failureIn(events).code).toBe('model_idle_timeout');
    });

    test('an event that is not JSON ends the stream after what came before it', async () => {
      const events = await answer({ steps: [...text('Half'), { kind: 'raw', bytes: 'data: {"choices":[{"del\n\n' }] });
      expect(said(events)).toBe('Half');
      expect(failureIn(events).code).toBe('model_stream_broken');
    });

    test('a stream that just stops is broken, not finished', async () => {
      const events = await answer({ steps: text('Half'), finish: null, done: 0 });
      expect(said(events)).toBe('Half');
      expect(failureIn(events).code).toBe('model_stream_broken');
    });

    test('an event of ten megabytes is refused', async () => {
      const events = await answer({ steps: [...text('Half'), ...text('x'.repeat(10_000_000))] });
      expect(said(events)).toBe('Half');
      expect(failureIn(events)).toMatchObject({ code: 'model_too_large', retryable: false });
    });

    test.each([
      [401, 'model_unauthorized', 1],
      [403, 'model_unauthorized', 1],
      [404, 'model_not_found', 1],
      [400, 'model_rejected', 1],
      [429, 'model_rate_limited', 3],
      [500, 'model_overloaded', 3],
      [529, 'model_overloaded', 3],
    ])('a status of %i is %s after %i tries', async (status, code, tries) => {
      const body = JSON.stringify({ error: { message: `no: ${KEY}\n    at Object.<anonymous> (/srv/app.js:1:1)` } });
      const { message, ...failure } = failureIn(await answer({ status, body }));
      expect(failure.code).toBe(code);
      expect(provider.requests).toHaveLength(tries);
      expect(message).not.toMatch(/sk-test|app\.js/);
    });

    test('a redirect is not followed, because a key belongs to one origin', async () => {
      const events = await answer({ status: 307, headers: { location: `${provider.url}/elsewhere/v1/messages` } });
      expect(failureIn(events).code).toBe('model_rejected');
      expect(provider.requests).toHaveLength(1);
    });

    test('a failure that passes is not noticed', async () => {
      const scripts: Script[] = [{ status: 500 }, { status: 529 }, { steps: text('Back') }];
      provider.script(() => scripts.shift() ?? {});
      const events = await collect(open(remote, provider.url));
      expect([said(events), endOf(events).reason]).toEqual(['Back', 'stop']);
    });

    test('a 429 for want of money is not tried again', async () => {
      const body = JSON.stringify({
        error: { message: 'You exceeded your current quota', code: 'insufficient_quota' },
      });
      expect(failureIn(await answer({ status: 429, body }))).toMatchObject({
        code: 'model_rate_limited',
        retryable: false,
      });
      expect(provider.requests).toHaveLength(1);
    });
  });
}

test.each([
  ['openai', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
] as const)('without a key, %s says to set %s', async (provider, name) => {
  const failure = failureIn(await collect(openModel({ provider, model: 'm' }, LIMITS)));
  expect(failure).toMatchObject({ code: 'model_no_key', retryable: false });
  expect(failure.message).toContain(name);
});

test.each([
  [undefined, 'No baseUrl is set'],
  ['localhost:11434', 'must start with http'],
  ['not a url', 'not a URL'],
  ['http://me:secret@localhost/v1', 'must not contain a user name'],
])('a base URL of %s is refused with a reason', async (baseUrl, words) => {
  const failure = failureIn(await collect(openModel({ provider: 'openai-compatible', model: 'm', baseUrl }, LIMITS)));
  expect(failure).toMatchObject({ code: 'model_unreachable', retryable: false });
  expect(failure.message).toContain(words);
  expect(failure.message).not.toContain('secret');
});
