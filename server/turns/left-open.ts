import { say } from '../../contract/texts.ts';
import type { Tx } from '../events/log.ts';
import type { SessionRow, ToolCallRow } from '../storage/tables.ts';
import { noteReason } from './call-records.ts';
import { saveCall, selectOpenCalls } from './call-store.ts';
import { toToolCall } from './call-views.ts';
import { noteWaitedTime } from './call-waits.ts';

const NOT_RUN = say('call.notRun');

/** What becomes of a call when its turn ends before it does. What had not begun is known not to have happened. */
export function leaveOff(row: ToolCallRow, turnState: string, now: number): void {
  Object.assign(row, { state: turnState === 'cancelled' ? 'cancelled' : 'interrupted', ended_at: now });
  noteWaitedTime(row, now);
  if (row.began === 1) return;
  const output = noteReason(row, NOT_RUN);
  const output_bytes = Buffer.byteLength(output);
  Object.assign(row, { state: 'cancelled', reason: output, output, output_bytes, is_error: 1 });
}

/** Ends the calls that a turn left open, each with its event. The caller saves the session. */
export async function endOpenCalls(tx: Tx, session: SessionRow, turnId: string, turnState: string): Promise<void> {
  for (const call of await selectOpenCalls(tx.db, turnId)) {
    leaveOff(call, turnState, tx.now);
    await saveCall(tx.db, call, call.output);
    tx.append(session, { type: 'tool.ended', call: toToolCall(call) });
  }
}
