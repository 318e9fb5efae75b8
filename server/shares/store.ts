import { insertion, statement } from '../storage/statement.ts';
import type { Db, ShareRow } from '../storage/tables.ts';

export const insertShare = insertion<ShareRow>('shares');

/** The token alone gives access; the owner is not checked. */
export async function findByToken(db: Db, tokenHash: string): Promise<ShareRow | undefined> {
  return (await selectByToken(db, tokenHash))[0];
}

const selectByToken = statement<ShareRow>('SELECT * FROM shares WHERE token_hash = ?');

export type ListedShare = Omit<ShareRow, 'messages' | 'token_hash' | 'owner'>;

/** Without what was said. */
export function selectShares(
  db: Db,
  owner: string,
  { session, limit }: { session?: string | undefined; limit: number },
): Promise<ListedShare[]> {
  return selectListed(db, owner, session ?? null, session ?? null, limit);
}

const selectListed =
  statement<ListedShare>(`SELECT id, session_id, origin, token, title, tool_details, created_at FROM shares
  WHERE owner = ? AND (? IS NULL OR session_id = ?) ORDER BY id DESC LIMIT ?`);

export async function deleteShare(db: Db, owner: string, id: string): Promise<boolean> {
  return (await removeShare(db, id, owner)).length === 1;
}

const removeShare = statement<{ id: string }>('DELETE FROM shares WHERE id = ? AND owner = ? RETURNING id');
