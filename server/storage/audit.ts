import { newId } from '../../contract/ids.ts';
import { insertion } from './statement.ts';
import type { AuditRow } from './tables.ts';

export type AuditEntry = Omit<AuditRow, 'id' | 'at'>;

type Connection = Parameters<typeof insertRow>[0];

/** Who did what, without what was said. */
export async function insertAudit(db: Connection, entry: AuditEntry): Promise<void> {
  const at = Date.now();
  await insertRow(db, { id: newId(at), at, ...entry });
}

const insertRow = insertion<AuditRow>('audit', ['id', 'at', 'owner', 'action', 'object', 'detail', 'request_id']);
