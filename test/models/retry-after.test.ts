import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backoffMs, retryAfterMs } from '../../server/models/guard.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { collect, endOf, failureIn, open, REMOTE, said } from './setup.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

describe('what a provider asks for', () => {
  test.each([
    ['2', 2000],
    [' 2 ', 2000],
    ['1.5', 1500],
    ['0', 0],
    ['99999999999999', 99999999999999000],
    ['Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
    ['Sunday, 15-Nov-26 12:00:30 GMT', 30_000],
    ['Sun Nov 15 12:00:30 2026', 30_000],
    ['2026-11-15T12:00:30Z', 30_000],
    ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
    ['-5', undefined],
    ['', undefined],
    ['soon', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['0x10', undefined],
    ['1e9', undefined],
    ['Sun, 99 Nov 2026 99:99:99 GMT', undefined],
    ['5 apples', undefined],
  ])('"%s" is understood', (value, ms) => {
    expect(retryAfterMs({ 'retry-after': value }, NOW)).toBe(ms);
  });

  test('milliseconds win over seconds, unless they cannot be read', () => {
    expect(retryAfterMs({ 'retry-after-ms': '250', 'retry-after': '9' }, NOW)).toBe(250);
    expect(retryAfterMs({ 'retry-after-ms': '-1', 'retry-after': '9' }, NOW)).toBe(9000);
    expect(retryAfterMs({}, NOW)).toBeUndefined();
  });

  test('our own wait doubles, is spread out and has an end', () => {
    expect([1, 2, 3].map((attempt) => backoffMs(attempt, 500, 1))).toEqual([500, 1000, 2000]);
    expect(backoffMs(1, 500, 0)).toBe(250);
    expect(backoffMs(40, 500, 1)).toBe(10_000);
  });
});

describe('how it is honoured', () => {
  let provider: ScriptedProvider;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
  });
  afterAll(() => provider.close());

  for (const remote of REMOTE) {
    test(`${remote.provider} is called again no sooner than it asked`, async () => {
      const scripts: Script[] = [{ status: 429, headers: { 'retry-after-ms': '150' } }, { steps: text('ok') }];
      provider.script(() => scripts.shift() ?? {});
      const events = await collect(open(remote, provider.url));
      const [first, second] = provider.requests.slice(-2);
      expect([said(events), endOf(events).reason]).toEqual(['ok', 'stop']);
      expect(second!.at - first!.at).toBeGreaterThanOrEqual(149);
    });

    test.each(['-5', 'soon', '0', 'Sun, 06 Nov 1994 08:49:37 GMT'])(
      `a Retry-After of "%s" from ${remote.provider} does not hold anything up`,
      async (value) => {
        const scripts: Script[] = [{ status: 429, headers: { 'retry-after': value } }, { steps: text('ok') }];
        provider.script(() => scripts.shift() ?? {});
        expect(said(await collect(open(remote, provider.url)))).toBe('ok');
      },
    );

    test(`a wait longer than a turn has makes ${remote.provider} fail at once and say how long`, async () => {
      const before = provider.requests.length;
      provider.script(() => ({
        status: 429,
        headers: { 'retry-after': '86400' },
        body: '{"error":{"message":"slow down"}}',
      }));
      const failure = failureIn(await collect(open(remote, provider.url)));
      expect(failure).toMatchObject({ code: 'model_rate_limited', retryable: true });
      expect(failure.message).toMatch(/slow down\. It asks to wait 24 hours/);
      expect(provider.requests.length).toBe(before + 1);
    });
  }
});
