import type { ToolCallRow } from '../storage/tables.ts';

/** Adds up how long a started call waits for a person. Called after each change of the call's state. */
export function noteWaitedTime(row: ToolCallRow, now: number): void {
  if (row.state === 'waiting' && row.started_at !== null) {
    row.waiting_since ??= now;
    return;
  }
  if (row.waiting_since === null) return;
  row.waited_ms += Math.max(0, now - row.waiting_since);
  row.waiting_since = null;
}

/** How long a finished call worked: the time it waited for a person does not count. */
export function workedMs(row: Pick<ToolCallRow, 'started_at' | 'ended_at' | 'waited_ms'>): number | null {
  if (row.started_at === null || row.ended_at === null) return null;
  return Math.max(0, row.ended_at - row.started_at - row.waited_ms);
}
