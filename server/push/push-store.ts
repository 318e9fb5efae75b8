import { insertion, statement } from '../storage/statement.ts';
import type { Db, PushSubscriptionRow } from '../storage/tables.ts';

export const insertSubscription = insertion<PushSubscriptionRow>('push_subscriptions');

/** A browser is not notified for longer than it is signed in. */
const IS_SIGNED_IN = `(sign_in_id IS NULL OR EXISTS (SELECT 1 FROM sign_ins WHERE sign_ins.id = sign_in_id AND expires_at > ?))`;

export function listSubscriptions(db: Db, owner: string): Promise<PushSubscriptionRow[]> {
  return selectOwned(db, owner, Date.now());
}

const selectOwned = statement<PushSubscriptionRow>(
  `SELECT * FROM push_subscriptions WHERE owner = ? AND ${IS_SIGNED_IN} ORDER BY id`,
);

export async function findSubscription(db: Db, owner: string, id: string): Promise<PushSubscriptionRow | undefined> {
  return (await selectOne(db, id, owner, Date.now()))[0];
}

const selectOne = statement<PushSubscriptionRow>(
  `SELECT * FROM push_subscriptions WHERE id = ? AND owner = ? AND ${IS_SIGNED_IN}`,
);

/** A browser that subscribes again, or under another person, has one subscription. */
export const deleteByEndpoint = statement('DELETE FROM push_subscriptions WHERE endpoint = ?');

export async function deleteSubscription(db: Db, owner: string, id: string): Promise<boolean> {
  return (await remove(db, id, owner)).length === 1;
}

const remove = statement<{ id: string }>('DELETE FROM push_subscriptions WHERE id = ? AND owner = ? RETURNING id');

export const savePushOutcome = statement(
  'UPDATE push_subscriptions SET last_sent_at = coalesce(?, last_sent_at), problem = ? WHERE id = ?',
);
