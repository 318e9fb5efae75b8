import type { AuditList } from '../../contract/access.ts';
import type { Db } from '../storage/sqlite.ts';
import type { SignInRow } from '../storage/tables.ts';

export async function insertSignIn(db: Db, row: SignInRow): Promise<void> {
  await db.deleteFrom('sign_ins').where('expires_at', '<', row.created_at).execute();
  await db.insertInto('sign_ins').values(row).execute();
}

export async function findSignIn(db: Db, tokenHash: string, now: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('sign_ins')
    .select('owner')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.owner;
}

export async function deleteSignIn(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sign_ins').where('token_hash', '=', tokenHash).execute();
}

export async function selectAudit(db: Db, owner: string, limit: number): Promise<AuditList> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where('owner', '=', owner)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const entries = rows.map(({ id, at, action, object, detail, request_id }) => ({
    id,
    at: new Date(at).toISOString(),
    action,
    object,
    detail,
    requestId: request_id,
  }));
  return { entries };
}
