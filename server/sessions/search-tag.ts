import type { Insertable } from 'kysely';
import { isReservedId, speakerOf } from '../../contract/speakers.ts';
import { searchWords } from '../storage/search-words.ts';
import { type MessageRow, toParts } from '../storage/tables.ts';

type Tagged = Pick<Insertable<MessageRow>, 'session_id' | 'role' | 'agent_id' | 'text' | 'parts'>;

/** What is indexed of a message: its words and, as tokens of their own, what searches filter by. */
export interface IndexedRow {
  rowid: number;
  text: string;
  tags: string;
}

export function toIndexed(row: Tagged & { rid: number }): IndexedRow {
  return { rowid: row.rid, text: searchWords(row.text), tags: searchTags(row) };
}

/**
 * What searches filter by, as tokens of their own beside the words: who said it and where. `from:user` is the person and
 * `from:assistant` what has no name; an imported agent that is called so is found by `agent:` only.
 */
export function searchTags(row: Tagged): string {
  const { kind, agent } = speakerOf({ role: row.role, agent: row.agent_id ?? null, parts: partsFor(row) });
  const tags = [searchTag('session', row.session_id)];
  if (agent === null) tags.push(searchTag('from', kind === 'person' ? 'user' : 'assistant'));
  else tags.push(searchTag('agent', agent));
  if (agent !== null && !isReservedId(agent)) tags.push(searchTag('from', agent));
  return tags.join(' ');
}

/** Only of tasks and results the parts say more about the speaker than the role does. */
function partsFor({ role, agent_id, text, parts }: Tagged) {
  return role === 'assistant' || !agent_id ? [] : toParts(text, parts ?? null);
}

/** A filter value as one token of letters and digits, whatever it contains. */
export function searchTag(kind: 'session' | 'from' | 'agent', value: string): string {
  return `${kind}x${Buffer.from(value.toLowerCase()).toString('hex')}`;
}
