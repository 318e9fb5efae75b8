import { statement } from '../../storage/statement.ts';
import type { Db, PushConfigRow } from '../../storage/tables.ts';

/** Replaces the one with the same id. False when the turn is gone. */
export async function savePushConfig(db: Db, row: PushConfigRow): Promise<boolean> {
  const { turn_id, config_id, session_id, owner, version, url, token, scheme, credentials, told, created_at } = row;
  const values = [turn_id, config_id, session_id, owner, version, url, token, scheme, credentials, told, created_at];
  return (await upsertRow(db, ...values, turn_id)).length > 0;
}

const upsertRow = statement(`INSERT INTO push_configs
  (turn_id, config_id, session_id, owner, version, url, token, scheme, credentials, told, created_at)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM turns WHERE id = ?)
  ON CONFLICT (turn_id, config_id) DO UPDATE SET version = excluded.version, url = excluded.url,
    token = excluded.token, scheme = excluded.scheme, credentials = excluded.credentials, told = excluded.told
  RETURNING turn_id`);

export const selectPushConfigs = statement<PushConfigRow>(
  'SELECT * FROM push_configs WHERE turn_id = ? ORDER BY created_at, config_id',
);

export async function deletePushConfig(db: Db, turnId: string, configId: string): Promise<void> {
  await deleteRow(db, turnId, configId);
}

const deleteRow = statement('DELETE FROM push_configs WHERE turn_id = ? AND config_id = ?');

/** Null: nothing more is told of this turn. */
export async function savePushTold(
  db: Db,
  { turn_id, config_id, url }: PushConfigRow,
  told: string | null,
): Promise<void> {
  await updateTold(db, told, turn_id, config_id, url);
}

const updateTold = statement('UPDATE push_configs SET told = ? WHERE turn_id = ? AND config_id = ? AND url = ?');

export const selectUntoldTurns = statement<{ turn_id: string; owner: string }>(
  'SELECT DISTINCT turn_id, owner FROM push_configs WHERE told IS NOT NULL',
);
