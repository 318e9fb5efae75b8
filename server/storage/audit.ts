import { newId } from '../../contract/ids.ts';
import { insertion, statement } from './statement.ts';
import type { AuditRow } from './tables.ts';

export type AuditEntry = Omit<AuditRow, 'id' | 'at'>;

type Connection = Parameters<typeof insertRow>[0];

/** Who did what, without what was said. */
export async function insertAudit(db: Connection, entry: AuditEntry): Promise<void> {
  const at = Date.now();
  await insertRow(db, { id: newId(at), at, ...entry });
}

const insertRow = insertion<AuditRow>('audit');

/** Of the oldest entries, at most `limit`: deletes those from before a moment. Returns how many it deleted. */
export async function deleteOldAudit(db: Connection, before: number, limit: number): Promise<number> {
  return (await deleteOldRows(db, limit, before)).length;
}

// Ids sort by time.
const deleteOldRows = statement<{ id: string }>(`DELETE FROM audit WHERE id IN (
  SELECT id FROM (SELECT id, at FROM audit WHERE id > '' ORDER BY id LIMIT ?) WHERE at < ?) RETURNING id`);
