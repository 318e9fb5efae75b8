import type { AuditList } from '../../contract/access.ts';
import type { ApprovedCardRow, Db, SignInRow } from '../storage/tables.ts';

export async function insertSignIn(db: Db, row: SignInRow): Promise<void> {
  await db.deleteFrom('sign_ins').where('expires_at', '<', row.created_at).execute();
  await db.insertInto('sign_ins').values(row).execute();
}

export interface SignInProof {
  cookieHashes: readonly string[];
  keyHash: string;
  tokenMark: string;
  now: number;
}

/** Both halves must belong to one sign-in. Several cookies may have its name: other ports can set some, too. */
export function findSignIn(db: Db, proof: SignInProof): Promise<{ id: string; owner: string } | undefined> {
  return db
    .selectFrom('sign_ins')
    .select(['id', 'owner'])
    .where('cookie_hash', 'in', proof.cookieHashes)
    .where('key_hash', '=', proof.keyHash)
    .where('token_mark', '=', proof.tokenMark)
    .where('expires_at', '>', proof.now)
    .executeTakeFirst();
}

export function selectSignIns(db: Db, owner: string, tokenMark: string, now: number): Promise<SignInRow[]> {
  return db
    .selectFrom('sign_ins')
    .selectAll()
    .where('owner', '=', owner)
    .where('token_mark', '=', tokenMark)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
}

export async function deleteSignIn(db: Db, owner: string, id: string): Promise<boolean> {
  const deleted = await db.deleteFrom('sign_ins').where('id', '=', id).where('owner', '=', owner).executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

export async function deleteSignInsOfOtherTokens(db: Db, tokenMark: string): Promise<void> {
  await db.deleteFrom('sign_ins').where('token_mark', '!=', tokenMark).execute();
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

/** The newest are kept. An older one is only missing where it would be compared with a newer one. */
const MOST_CARDS = 200;

export async function keepCard(db: Db, row: ApprovedCardRow): Promise<void> {
  await db
    .insertInto('approved_cards')
    .values(row)
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ approved_at: row.approved_at }))
    .execute();
  const newest = db.selectFrom('approved_cards').select('hash').orderBy('approved_at', 'desc').limit(MOST_CARDS);
  await db.deleteFrom('approved_cards').where('hash', 'not in', newest).execute();
}

export async function findCard(db: Db, hash: string): Promise<string | undefined> {
  const row = await db.selectFrom('approved_cards').select('card').where('hash', '=', hash).executeTakeFirst();
  return row?.card;
}
