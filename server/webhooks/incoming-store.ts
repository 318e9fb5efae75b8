import { insertion, statement } from '../storage/statement.ts';
import type { Db, IncomingWebhookRow, WebhookCallRow } from '../storage/tables.ts';

export const insertIncoming = insertion<IncomingWebhookRow>('incoming_webhooks');
export const insertCall = insertion<WebhookCallRow>('webhook_calls');

export const selectIncoming = statement<IncomingWebhookRow>(
  'SELECT * FROM incoming_webhooks WHERE owner = ? ORDER BY name',
);

export async function findIncoming(db: Db, owner: string, id: string): Promise<IncomingWebhookRow | undefined> {
  return (await selectOwned(db, id, owner))[0];
}

const selectOwned = statement<IncomingWebhookRow>('SELECT * FROM incoming_webhooks WHERE id = ? AND owner = ?');

/** Whosever it is: a request is judged by its signature. */
export async function readIncoming(db: Db, id: string): Promise<IncomingWebhookRow | undefined> {
  return (await selectById(db, id))[0];
}

const selectById = statement<IncomingWebhookRow>('SELECT * FROM incoming_webhooks WHERE id = ?');

export async function isIncomingNameTaken(db: Db, owner: string, name: string): Promise<boolean> {
  return (await selectNamed(db, owner, name)).length > 0;
}

const selectNamed = statement('SELECT id FROM incoming_webhooks WHERE owner = ? AND name = ?');

export async function countIncoming(db: Db, owner: string): Promise<number> {
  return (await selectCount(db, owner))[0]!.count;
}

const selectCount = statement<{ count: number }>('SELECT count(*) AS count FROM incoming_webhooks WHERE owner = ?');

export function saveIncoming(db: Db, row: IncomingWebhookRow): Promise<unknown> {
  const { name, signature, session_id, agent_id, folder, mode, template, secret, previous_secret } = row;
  const { previous_until, paused_at, disabled_at, disabled_because, updated_at, id } = row;
  const fields = [name, signature, session_id, agent_id, folder, mode, template, secret, previous_secret];
  return update(db, ...fields, previous_until, paused_at, disabled_at, disabled_because, updated_at, id);
}

const update =
  statement(`UPDATE incoming_webhooks SET name = ?, signature = ?, session_id = ?, agent_id = ?, folder = ?,
  mode = ?, template = ?, secret = ?, previous_secret = ?, previous_until = ?, paused_at = ?, disabled_at = ?,
  disabled_because = ?, updated_at = ? WHERE id = ?`);

export async function deleteIncoming(db: Db, owner: string, id: string): Promise<boolean> {
  if ((await remove(db, id, owner)).length === 0) return false;
  await removeCalls(db, id);
  return true;
}

const remove = statement<{ id: string }>('DELETE FROM incoming_webhooks WHERE id = ? AND owner = ? RETURNING id');
const removeCalls = statement('DELETE FROM webhook_calls WHERE webhook_id = ?');

/** The accepted request with that id of its sender's. */
export async function findTaken(db: Db, webhookId: string, callerId: string): Promise<WebhookCallRow | undefined> {
  return (await selectTaken(db, webhookId, callerId))[0];
}

const selectTaken = statement<WebhookCallRow>(
  `SELECT * FROM webhook_calls WHERE webhook_id = ? AND caller_id = ? AND state = 'accepted'`,
);

export const selectCalls = statement<WebhookCallRow>(
  'SELECT * FROM webhook_calls WHERE webhook_id = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3',
);

export const deleteOldCalls = statement(`DELETE FROM webhook_calls WHERE webhook_id = ?1
  AND id < (SELECT id FROM webhook_calls WHERE webhook_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`);
