import type { ParleyClient } from '../client/parley-client.ts';
import type { Session } from '../contract/sessions.ts';

/** What the terminal has shown is marked as read. A failure to mark it does not stop the command. */
export async function markShown(client: ParleyClient, { id }: Pick<Session, 'id'>): Promise<void> {
  await client.call('markRead', { sessionId: id }).catch(() => undefined);
}
