import { describe, expect, it } from 'vitest';
import { dayBars, isPeriod, lastDays, toMoments, type UsageRow } from '../../web/pages/settings/usage-figures.ts';
import { readCode } from '../../web/state/sign-in.ts';

describe('usage by day', () => {
  const period = { from: '2026-02-27', to: '2026-03-02' };

  it('has a bar for every day, also for those on which nothing happened', () => {
    const bars = dayBars([row('2026-02-28', 30), row('2026-03-02', 60)], period);
    expect(bars.map(({ day, tokens, share }) => [day, tokens, share])).toEqual([
      ['2026-02-27', 0, 0],
      ['2026-02-28', 30, 0.5],
      ['2026-03-01', 0, 0],
      ['2026-03-02', 60, 1],
    ]);
  });

  it('shows the newest days of a period that is too long to draw', () => {
    const bars = dayBars([], { from: '1970-01-01', to: '2026-03-02' });
    expect(bars.length).toBeLessThanOrEqual(366);
    expect(bars.at(-1)?.day).toBe('2026-03-02');
  });

  it('is asked for up to the end of the last day', () => {
    expect(toMoments(period)).toEqual({ from: '2026-02-27T00:00:00Z', to: '2026-03-03T00:00:00.000Z' });
    expect(lastDays(30, Date.parse('2026-03-02T23:59:00Z'))).toEqual({ from: '2026-02-01', to: '2026-03-02' });
  });

  it('knows a period from what is none', () => {
    expect(isPeriod(period)).toBe(true);
    expect(isPeriod({ from: '2026-03-02', to: '2026-02-27' })).toBe(false);
    expect(isPeriod({ from: '', to: '2026-02-27' })).toBe(false);
  });
});

describe('the code in what was pasted', () => {
  const code = 'Zm9vYmFyYmF6cXV1eA_-';

  it.each([
    `http://127.0.0.1:4747/#code=${code}`,
    `  http://127.0.0.1:4747/sessions/1?x=1#code=${code}\n`,
    `#code=${code}`,
    `code=${code}`,
    code,
  ])('is found in %j', (pasted) => {
    expect(readCode(pasted)).toBe(code);
  });

  it.each(['', 'hello', 'http://127.0.0.1:4747/', 'http://127.0.0.1:4747/#other=1', `#code=<script>${code}`])(
    'is not made up from %j',
    (pasted) => {
      expect(readCode(pasted)).toBeNull();
    },
  );
});

function row(key: string, tokens: number): UsageRow {
  return { key, turns: 1, inputTokens: tokens - 10, outputTokens: 10 };
}
