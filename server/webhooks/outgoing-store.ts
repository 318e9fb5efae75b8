import { insertion, statement } from '../storage/statement.ts';
import type { Db, OutgoingWebhookRow, WebhookDeliveryRow } from '../storage/tables.ts';

export const insertOutgoing = insertion<OutgoingWebhookRow>('outgoing_webhooks');
export const insertDelivery = insertion<WebhookDeliveryRow>('webhook_deliveries');

export const selectOutgoing = statement<OutgoingWebhookRow>(
  'SELECT * FROM outgoing_webhooks WHERE owner = ? ORDER BY name',
);

/** Of all owners: those that are told what happens. */
export const selectActive = statement<OutgoingWebhookRow>(
  'SELECT * FROM outgoing_webhooks WHERE paused_at IS NULL AND disabled_at IS NULL',
);

export async function findOutgoing(db: Db, owner: string, id: string): Promise<OutgoingWebhookRow | undefined> {
  return (await selectOwned(db, id, owner))[0];
}

const selectOwned = statement<OutgoingWebhookRow>('SELECT * FROM outgoing_webhooks WHERE id = ? AND owner = ?');

export async function readOutgoing(db: Db, id: string): Promise<OutgoingWebhookRow | undefined> {
  return (await selectById(db, id))[0];
}

const selectById = statement<OutgoingWebhookRow>('SELECT * FROM outgoing_webhooks WHERE id = ?');

export async function isOutgoingNameTaken(db: Db, owner: string, name: string): Promise<boolean> {
  return (await selectNamed(db, owner, name)).length > 0;
}

const selectNamed = statement('SELECT id FROM outgoing_webhooks WHERE owner = ? AND name = ?');

export async function countOutgoing(db: Db, owner: string): Promise<number> {
  return (await selectCount(db, owner))[0]!.count;
}

const selectCount = statement<{ count: number }>('SELECT count(*) AS count FROM outgoing_webhooks WHERE owner = ?');

/** All but the sequence, which only a new delivery moves. */
export function saveOutgoing(db: Db, row: OutgoingWebhookRow): Promise<unknown> {
  const { name, url, events, agents, session_id, texts, secret, previous_secret, previous_until } = row;
  const { failing_since, paused_at, disabled_at, disabled_because, updated_at, id } = row;
  const fields = [name, url, events, agents, session_id, texts, secret, previous_secret, previous_until];
  return update(db, ...fields, failing_since, paused_at, disabled_at, disabled_because, updated_at, id);
}

const update = statement(`UPDATE outgoing_webhooks SET name = ?, url = ?, events = ?, agents = ?, session_id = ?,
  texts = ?, secret = ?, previous_secret = ?, previous_until = ?, failing_since = ?, paused_at = ?, disabled_at = ?,
  disabled_because = ?, updated_at = ? WHERE id = ?`);

export async function deleteOutgoing(db: Db, owner: string, id: string): Promise<boolean> {
  if ((await remove(db, id, owner)).length === 0) return false;
  await removeDeliveries(db, id);
  return true;
}

const remove = statement<{ id: string }>('DELETE FROM outgoing_webhooks WHERE id = ? AND owner = ? RETURNING id');
const removeDeliveries = statement('DELETE FROM webhook_deliveries WHERE webhook_id = ?');

/** The number of its next delivery; null once it is paused, disabled or gone. */
export async function nextSequence(db: Db, id: string): Promise<number | null> {
  return (await countUp(db, id))[0]?.sequence ?? null;
}

const countUp = statement<{ sequence: number }>(`UPDATE outgoing_webhooks SET sequence = sequence + 1
  WHERE id = ? AND paused_at IS NULL AND disabled_at IS NULL RETURNING sequence`);

/** A test is sent to a paused webhook as well. */
export async function nextTestSequence(db: Db, id: string): Promise<number | null> {
  return (await countUpAnyhow(db, id))[0]?.sequence ?? null;
}

const countUpAnyhow = statement<{ sequence: number }>(
  'UPDATE outgoing_webhooks SET sequence = sequence + 1 WHERE id = ? RETURNING sequence',
);

export async function countPending(db: Db, webhookId: string): Promise<number> {
  return (await selectPending(db, webhookId))[0]!.count;
}

const selectPending = statement<{ count: number }>(
  'SELECT count(*) AS count FROM webhook_deliveries WHERE webhook_id = ? AND next_at IS NOT NULL',
);

export async function findDelivery(db: Db, webhookId: string, id: string): Promise<WebhookDeliveryRow | undefined> {
  return (await selectDelivery(db, id, webhookId))[0];
}

const selectDelivery = statement<WebhookDeliveryRow>(
  'SELECT * FROM webhook_deliveries WHERE id = ? AND webhook_id = ?',
);

export const selectDeliveries = statement<WebhookDeliveryRow>(
  'SELECT * FROM webhook_deliveries WHERE webhook_id = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3',
);

/** When a webhook has something to send next. */
export async function earliestDelivery(db: Db, webhookId: string): Promise<number | null> {
  return (await selectEarliest(db, webhookId))[0]!.next_at;
}

const selectEarliest = statement<{ next_at: number | null }>(
  'SELECT min(next_at) AS next_at FROM webhook_deliveries WHERE webhook_id = ? AND next_at IS NOT NULL',
);

/** Those that are due, in the order of what happened. */
export const selectDueDeliveries = statement<WebhookDeliveryRow>(`SELECT * FROM webhook_deliveries
  WHERE webhook_id = ? AND next_at <= ? ORDER BY sequence LIMIT ?`);

/** A clock that was set back must not delay what is sent again by as much. */
export const bringForward = statement(
  'UPDATE webhook_deliveries SET next_at = ?2 WHERE webhook_id = ?1 AND next_at > ?3',
);

export function saveDelivery(db: Db, row: WebhookDeliveryRow): Promise<unknown> {
  const { state, attempts, next_at, status, response, error, duration_ms, attempted_at, ended_at, id } = row;
  const fields = [state, attempts, next_at, status, response, error, duration_ms, attempted_at, ended_at];
  return updateDelivery(db, ...fields, id);
}

/** What was withdrawn meanwhile stays so. */
const updateDelivery = statement(`UPDATE webhook_deliveries SET state = ?, attempts = ?, next_at = ?, status = ?,
  response = ?, error = ?, duration_ms = ?, attempted_at = ?, ended_at = ? WHERE id = ? AND state <> 'withdrawn'`);

/** Keeps the newest of those that are over. */
export const deleteOldDeliveries = statement(`DELETE FROM webhook_deliveries WHERE webhook_id = ?1 AND next_at IS NULL
  AND id < (SELECT id FROM webhook_deliveries WHERE webhook_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`);

/** What a request of a person had begun to send when the server stopped is not sent by itself. */
export const endUnattended = statement(`UPDATE webhook_deliveries SET state = 'failed', ended_at = ?, error = ?
  WHERE state = 'pending' AND next_at IS NULL`);

const WITHDRAW = `UPDATE webhook_deliveries SET body = NULL, response = NULL, next_at = NULL,
  ended_at = coalesce(ended_at, ?1), state = CASE state WHEN 'pending' THEN 'withdrawn' ELSE state END`;

/** What quotes something that is deleted is deleted with it. */
export const withdrawOfSession = statement(`${WITHDRAW} WHERE session_id = ?2`);
export const withdrawOfArtifact = statement(`${WITHDRAW} WHERE artifact_id = ?2`);
/** Takes JSON arrays of the ids of messages and turns. */
export const withdrawOfMessages = statement(`${WITHDRAW} WHERE session_id = ?2 AND (
  message_id IN (SELECT value FROM json_each(?3)) OR turn_id IN (SELECT value FROM json_each(?4)))`);
