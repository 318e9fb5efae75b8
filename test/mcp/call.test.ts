import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Call } from '../../server/tools/mcp/call.ts';
import type { Answer, Progress, ToolContext } from '../../server/tools/tool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function contextWith(more: Partial<ToolContext>): ToolContext {
  return { signal: new AbortController().signal, progress() {}, ...more } as ToolContext;
}

describe('the clock of a call', () => {
  it('runs out when the server is silent', () => {
    const call = new Call(contextWith({}), 1000);
    vi.advanceTimersByTime(999);
    expect(call.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(call).toMatchObject({ ended: 'timed-out', signal: { aborted: true, reason: 'timed-out' } });
  });

  it('begins anew with every progress, also with what is not shown', () => {
    const shown: Progress[] = [];
    const call = new Call(contextWith({ progress: (progress) => void shown.push(progress) }), 1000);
    for (let step = 0; step < 100; step++) {
      vi.advanceTimersByTime(900);
      call.progress({ progress: step, total: 100 });
      call.progress({ progress: step + 0.5, total: 100 });
    }
    expect(call.signal.aborted).toBe(false);
    expect(shown).toHaveLength(199);
    vi.advanceTimersByTime(1000);
    expect(call.ended).toBe('timed-out');
  });

  it('shows the newest progress a few times a second, and none once it is over', () => {
    const shown: Progress[] = [];
    const call = new Call(contextWith({ progress: (progress) => void shown.push(progress) }), 60_000);
    for (let step = 1; step <= 10_000; step++) {
      call.progress({ progress: step, total: 10_000 });
      if (step % 1000 === 0) vi.advanceTimersByTime(100);
    }
    expect(shown.length).toBeLessThanOrEqual(20);
    expect(shown.at(-1)).toEqual({ fraction: 1 });
    call.progress({ progress: 1, total: 10_000 });
    call.progress({ progress: 2, total: 10_000 });
    const before = shown.length;
    call.over();
    vi.advanceTimersByTime(1000);
    expect(shown.length).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stands still while a person is asked, and goes on after the answer', async () => {
    const given = Promise.withResolvers<Answer | null>();
    const call = new Call(contextWith({ ask: () => given.promise }), 1000);
    const asked = call.ask({ question: 'Well?' });
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(call.signal.aborted).toBe(false);
    given.resolve({ text: 'yes' });
    expect(await asked).toEqual({ text: 'yes' });
    vi.advanceTimersByTime(1000);
    expect(call.ended).toBe('timed-out');
  });

  it('is stopped when the call is over', () => {
    const abort = new AbortController();
    const call = new Call(contextWith({ signal: abort.signal }), 1000);
    call.over();
    vi.advanceTimersByTime(2000);
    abort.abort();
    expect(call.ended).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not matter to a turn that was stopped before', () => {
    expect(new Call(contextWith({ signal: AbortSignal.abort() }), 1000).ended).toBe('cancelled');
  });
});

describe('questions of one call', () => {
  it('are asked one after the other', async () => {
    const open: PromiseWithResolvers<Answer | null>[] = [];
    const ask = () => {
      const next = Promise.withResolvers<Answer | null>();
      open.push(next);
      return next.promise;
    };
    const call = new Call(contextWith({ ask }), 1000);
    const both = [call.ask({ question: '1' }), call.ask({ question: '2' })];
    await vi.advanceTimersByTimeAsync(0);
    expect(open).toHaveLength(1);
    open[0]!.resolve(null);
    await vi.advanceTimersByTimeAsync(0);
    open[1]!.resolve({ text: 'two' });
    expect(await Promise.all(both)).toEqual([null, { text: 'two' }]);
  });

  it('come to an end', async () => {
    let count = 0;
    const ask = async () => {
      count++;
      return { text: 'yes' };
    };
    const call = new Call(contextWith({ ask }), 1000);
    for (let time = 0; time < 100; time++) await call.ask({ question: 'Again?' });
    expect(count).toBe(20);
  });

  it('are not asked when the call is over', async () => {
    const call = new Call(contextWith({ ask: async () => ({ text: 'yes' }) }), 1000);
    call.over();
    await expect(call.ask({ question: 'Well?' })).rejects.toThrow('The call has ended.');
  });
});
