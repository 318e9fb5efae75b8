import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Connection } from '../sessions/store.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { ToolCallRow } from '../storage/tables.ts';

export async function insertCall(db: Connection, row: ToolCallRow): Promise<void> {
  await insertCallRow(db, row);
}

const insertCallRow = insertion<ToolCallRow>('tool_calls');

/**
 * Where a call stands. Its whole output is given apart: what is in memory is what the agent was told. False when the call
 * is over already, or gone: it ends once.
 */
export async function saveCall(db: Connection, row: ToolCallRow, output: string | null): Promise<boolean> {
  const { id, input, state, reason, output_bytes, is_error, began, action_id, started_at, ended_at } = row;
  const { answers, waited_ms, waiting_since, reason_text } = row;
  const outcome = [input, state, reason, output, output_bytes, is_error, began, action_id, started_at, ended_at];
  return (await updateOpenCall(db, ...outcome, answers, waited_ms, waiting_since, reason_text, id)).length === 1;
}

const updateOpenCall = statement<{
  id: string;
}>(`UPDATE tool_calls SET input = ?, state = ?, reason = ?, output = ?, output_bytes = ?,
  is_error = ?, began = ?, action_id = ?, started_at = ?, ended_at = ?, answers = ?, waited_ms = ?, waiting_since = ?,
  reason_text = ?
  WHERE id = ? AND ended_at IS NULL RETURNING id`);

/** In the order in which they were made; with whole outputs. */
export const selectCalls = statement<ToolCallRow>('SELECT * FROM tool_calls WHERE turn_id = ? ORDER BY part');

export const selectOpenCalls = statement<ToolCallRow>(
  'SELECT * FROM tool_calls WHERE turn_id = ? AND ended_at IS NULL ORDER BY part',
);

/** They are part of a stored message now. */
export const attachCalls = statement('UPDATE tool_calls SET message_id = ? WHERE turn_id = ? AND message_id IS NULL');

export async function loadCall(db: Connection, owner: string, id: string): Promise<ToolCallRow> {
  const [row] = await selectCall(db, id, owner);
  if (!row) throw new AppError('tool_call_not_found', say('tool_call_not_found', { id }));
  return row;
}

const selectCall = statement<ToolCallRow>(`SELECT tool_calls.* FROM tool_calls
  JOIN sessions ON sessions.id = tool_calls.session_id WHERE tool_calls.id = ? AND sessions.owner = ?`);
