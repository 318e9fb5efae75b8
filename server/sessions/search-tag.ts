import type { Insertable } from 'kysely';
import type { MessageRow } from '../storage/tables.ts';

/** What searches filter by, as tokens of their own beside the words: who said it and where. */
export function searchTags(row: Pick<Insertable<MessageRow>, 'session_id' | 'role' | 'agent_id'>): string {
  const tags = [searchTag('session', row.session_id), searchTag('from', row.agent_id ?? row.role)];
  if (row.agent_id) tags.push(searchTag('agent', row.agent_id));
  return tags.join(' ');
}

/** A filter value as one token of letters and digits, whatever it contains. */
export function searchTag(kind: 'session' | 'from' | 'agent', value: string): string {
  return `${kind}x${Buffer.from(value.toLowerCase()).toString('hex')}`;
}
