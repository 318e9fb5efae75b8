import { insertion, statement } from '../storage/statement.ts';
import type { Db, PushSubscriptionRow } from '../storage/tables.ts';

export const insertSubscription = insertion<PushSubscriptionRow>('push_subscriptions');

export const selectSubscriptions = statement<PushSubscriptionRow>(
  'SELECT * FROM push_subscriptions WHERE owner = ? ORDER BY id',
);

export async function findSubscription(db: Db, owner: string, id: string): Promise<PushSubscriptionRow | undefined> {
  return (await selectOwned(db, id, owner))[0];
}

const selectOwned = statement<PushSubscriptionRow>('SELECT * FROM push_subscriptions WHERE id = ? AND owner = ?');

/** A browser that subscribes again, or under another person, has one subscription. */
export const deleteByEndpoint = statement('DELETE FROM push_subscriptions WHERE endpoint = ?');

export async function deleteSubscription(db: Db, owner: string, id: string): Promise<boolean> {
  return (await remove(db, id, owner)).length === 1;
}

const remove = statement<{ id: string }>('DELETE FROM push_subscriptions WHERE id = ? AND owner = ? RETURNING id');

export const savePushOutcome = statement(
  'UPDATE push_subscriptions SET last_sent_at = coalesce(?, last_sent_at), problem = ? WHERE id = ?',
);
