import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Connection } from '../sessions/store.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { ActionRow, ExtensionRow, GrantRow } from '../storage/tables.ts';

export const insertAction = insertion<ActionRow>('actions');

export async function loadAction(db: Connection, owner: string, id: string): Promise<ActionRow> {
  const [row] = await selectAction(db, id, owner);
  if (!row) throw new AppError('action_not_found', say('action_not_found', { id }));
  return row;
}

const selectAction = statement<ActionRow>('SELECT * FROM actions WHERE id = ? AND owner = ?');

/** Settles an open action; false when it was settled before. */
export async function settleOpenAction(
  db: Connection,
  { state, answer, settled_at, id }: Pick<ActionRow, 'state' | 'answer' | 'settled_at' | 'id'>,
): Promise<boolean> {
  return (await updateOpenAction(db, state, answer, settled_at, id)).length === 1;
}

const updateOpenAction = statement<{ id: string }>(`UPDATE actions SET state = ?, answer = ?, settled_at = ?
  WHERE id = ? AND state = 'open' RETURNING id`);

export const selectOpenActionsOfTurn = statement<ActionRow>(
  `SELECT * FROM actions WHERE turn_id = ? AND state = 'open' ORDER BY id`,
);

export const selectLimitActions = statement<ActionRow>(
  `SELECT * FROM actions WHERE turn_id = ? AND kind = 'limit' ORDER BY id`,
);

/** What the agent of a turn has asked itself. */
export const selectAgentActions = statement<ActionRow>(
  `SELECT * FROM actions WHERE turn_id = ? AND call_id IS NULL AND kind IN ('approval', 'question') ORDER BY id`,
);

export const selectOpenFailures = statement<ActionRow>(
  `SELECT * FROM actions WHERE session_id = ? AND kind = 'failure' AND state = 'open'`,
);

export const selectExpiring = statement<ActionRow>(
  `SELECT * FROM actions WHERE state = 'open' AND expires_at IS NOT NULL ORDER BY id`,
);

/** Asked in a session, or on behalf of a turn in it. */
export async function selectActions(
  db: Connection,
  owner: string,
  { state, session, limit }: { state: string; session?: string | undefined; limit: number },
): Promise<ActionRow[]> {
  if (session === undefined) return selectByOwner(db, owner, state, limit);
  return selectBySession(db, owner, state, session, session, limit);
}

const selectByOwner = statement<ActionRow>('SELECT * FROM actions WHERE owner = ? AND state = ? ORDER BY id LIMIT ?');

const selectBySession = statement<ActionRow>(`SELECT * FROM actions WHERE owner = ? AND state = ? AND (session_id = ?
    OR EXISTS (SELECT 1 FROM json_each(chain) WHERE value ->> 'sessionId' = ?)) ORDER BY id LIMIT ?`);

export const insertGrant = statement(`INSERT INTO grants (id, owner, agent_id, tool, session_id, created_at)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);

/** A standing approval for a tool: in every session, or in this one. */
export async function isGranted(
  db: Connection,
  owner: string,
  agentId: string,
  tool: string,
  sessionId: string,
): Promise<boolean> {
  return (await findGrant(db, owner, agentId, tool, sessionId)).length > 0;
}

const findGrant = statement<{ id: string }>(`SELECT id FROM grants
  WHERE owner = ? AND agent_id = ? AND tool = ? AND coalesce(session_id, '') IN ('', ?) LIMIT 1`);

export const selectGrants = statement<GrantRow>('SELECT * FROM grants WHERE owner = ? ORDER BY id');

export async function deleteGrant(db: Connection, owner: string, id: string): Promise<void> {
  const gone = await removeGrant(db, id, owner);
  if (gone.length === 0) throw new AppError('grant_not_found', say('grant_not_found', { id }));
}

const removeGrant = statement<{ id: string }>('DELETE FROM grants WHERE id = ? AND owner = ? RETURNING id');

export const selectExtensions = statement<ExtensionRow>('SELECT * FROM extensions WHERE root_turn_id = ?');

export const addExtension = statement(`INSERT INTO extensions (root_turn_id, name, extra) VALUES (?, ?, ?)
  ON CONFLICT (root_turn_id, name) DO UPDATE SET extra = extra + excluded.extra`);
