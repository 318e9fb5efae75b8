import { sql, type Transaction } from 'kysely';
import type { SessionEvent } from '../../contract/events.ts';
import type { Message, Part } from '../../contract/messages.ts';
import type { Db } from '../storage/sqlite.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { EventRow, Tables } from '../storage/tables.ts';
import { StoredEvent } from './bus.ts';

type Connection = Db | Transaction<Tables>;

/** Writes events. A message's words are stored once, with the message. */
export async function insertEvents(db: Connection, events: readonly StoredEvent[]): Promise<void> {
  for (const { owner, event } of events) await insertEventRow(db, toRow(owner, event));
}

const insertEventRow = insertion<EventRow>('events', [
  'position',
  'session_id',
  'owner',
  'seq',
  'type',
  'at',
  'message_id',
  'data',
]);

function toRow(owner: string, event: SessionEvent) {
  const { sessionId, seq, type, at, position, ...rest } = event;
  const message = 'message' in event ? event.message : null;
  const data = message ? { ...rest, message: { ...message, text: undefined, parts: undefined } } : rest;
  return {
    position,
    session_id: sessionId,
    owner,
    seq,
    type,
    at: Date.parse(at),
    message_id: message?.id ?? null,
    data: JSON.stringify(data),
  };
}

const PAGE = 500;
/** A page is in memory as a whole, for each client that catches up; one event always fits. */
const PAGE_BYTES = 500_000;

/** Events of all of an owner's sessions after a position, oldest first, one page. */
export function eventsAfterPosition(db: Connection, owner: string, position: number): Promise<StoredEvent[]> {
  return readEvents(select(db).where('events.owner', '=', owner).where('position', '>', position).orderBy('position'));
}

/** Events of one session after a number, oldest first, one page. */
export function eventsAfterSeq(db: Connection, sessionId: string, seq: number): Promise<StoredEvent[]> {
  return readEvents(
    select(db).where('events.session_id', '=', sessionId).where('events.seq', '>', seq).orderBy('events.seq'),
  );
}

function select(db: Connection) {
  return db
    .selectFrom('events')
    .leftJoin('messages', 'messages.id', 'events.message_id')
    .select(['position', 'events.session_id', 'owner', 'events.seq', 'type', 'at', 'data', 'message_id'])
    .select(['messages.text', 'messages.parts'])
    .limit(PAGE);
}

async function readEvents(query: ReturnType<typeof select>): Promise<StoredEvent[]> {
  const fitting = await countFitting(query);
  if (fitting === 0) return [];
  const rows = await query.limit(fitting).execute();
  return rows.map((row) => {
    const data = JSON.parse(row.data);
    if (row.message_id) data.message = withWords(data.message, row.text, row.parts);
    const at = new Date(row.at).toISOString();
    const envelope = { type: row.type, sessionId: row.session_id, seq: row.seq, position: row.position, at };
    return new StoredEvent(row.owner, { ...envelope, ...data } as SessionEvent);
  });
}

/** The length of a text is known without reading the text. */
async function countFitting(query: ReturnType<typeof select>): Promise<number> {
  const bytes = sql<number>`coalesce(octet_length(messages.text), 0) + coalesce(octet_length(messages.parts), 0)`;
  const sizes = await query.clearSelect().select(bytes.as('bytes')).execute();
  let total = 0;
  const tooMany = sizes.findIndex((row, index) => {
    total += row.bytes;
    return index > 0 && total > PAGE_BYTES;
  });
  return tooMany < 0 ? sizes.length : tooMany;
}

function withWords(message: Message, text: string | null, parts: string | null): Message {
  return { ...message, text: text ?? '', parts: toParts(text ?? '', parts) };
}

/** The parts column is empty when the text is all there is. */
export function toParts(text: string, parts: string | null): Part[] {
  if (parts) return JSON.parse(parts) as Part[];
  return text ? [{ type: 'text', text }] : [];
}

export async function newestPosition(db: Connection): Promise<number> {
  return (await selectNewest(db))[0]?.position ?? 0;
}

/** Never less than what has been pruned: a position is used once. */
const selectNewest = statement<{ position: number }>(
  'SELECT max(coalesce((SELECT max(position) FROM events), 0), pruned_position) AS position FROM event_retention',
);

export async function prunedPosition(db: Connection): Promise<number> {
  const row = await db.selectFrom('event_retention').select('pruned_position').executeTakeFirstOrThrow();
  return row.pruned_position;
}

/** The newest position among at most `limit` events that are older than a moment; null when there are none. */
export async function oldEventsEnd(db: Connection, before: number, limit: number): Promise<number | null> {
  const oldest = db.selectFrom('events').select(['position', 'at']).orderBy('position').limit(limit).as('oldest');
  const row = await db
    .selectFrom(oldest)
    .select((eb) => eb.fn.max('oldest.position').as('position'))
    .where('oldest.at', '<', before)
    .executeTakeFirst();
  return row?.position ?? null;
}

/** Forgets events up to a position; their sessions remember from where on they can be followed. */
export async function deleteEventsUpto(db: Connection, position: number): Promise<void> {
  await sql`UPDATE sessions SET event_floor = old.seq
    FROM (SELECT session_id, max(seq) AS seq FROM events WHERE position <= ${position} GROUP BY session_id) AS old
    WHERE sessions.id = old.session_id`.execute(db);
  await db.deleteFrom('events').where('position', '<=', position).execute();
  await db.updateTable('event_retention').set({ pruned_position: position }).execute();
}
