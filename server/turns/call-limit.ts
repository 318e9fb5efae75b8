import type { ToolCallRow } from '../storage/tables.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface TimeLimit {
  readonly signal: AbortSignal;
  end(): void;
}

/** How long a call may take; time spent waiting for a person does not count. Null: no limit. */
export function limitTime(row: ToolCallRow, ms: number | null): TimeLimit {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const arm = (wait: number) => {
    timer = setTimeout(() => (row.state === 'waiting' ? arm(wait) : controller.abort()), wait);
  };
  if (ms !== null) arm(Math.min(ms, LONGEST_TIMER_MS));
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** A tool that does not heed its signal is left behind. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave));
}
