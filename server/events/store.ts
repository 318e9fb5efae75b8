import { sql } from 'kysely';
import type { SessionEvent } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import { insertionOfMany, statement } from '../storage/statement.ts';
import { type Db, type EventRow, toParts } from '../storage/tables.ts';
import type { StoredEvent } from './bus.ts';

/** Writes events. A message's words are stored once, with the message. */
export async function insertEvents(db: Db, events: readonly StoredEvent[], now: number): Promise<void> {
  await insertEventRows(
    db,
    events.map(({ owner, event }) => toRow(owner, event, now)),
  );
}

const insertEventRows = insertionOfMany<EventRow>('events');

function toRow(owner: string, event: SessionEvent, now: number) {
  const { sessionId, seq, type, at: _, position, ...rest } = event;
  const message = 'message' in event ? event.message : null;
  const data = message ? { ...rest, message: { ...message, text: undefined, parts: undefined } } : rest;
  return {
    position,
    session_id: sessionId,
    owner,
    seq,
    type,
    at: now,
    message_id: message?.id ?? null,
    data: JSON.stringify(data),
  };
}

const PAGE = 500;
/** A page is in memory as a whole; one event always fits. */
const PAGE_BYTES = 500_000;

/** Where an event stands, without its contents. */
export interface EventPosition {
  position: number;
  sessionId: string;
  seq: number;
}

export interface EventPositionsPage {
  places: EventPosition[];
  /** Nothing newer was there. */
  isLast: boolean;
}

/** Events of all of an owner's sessions after a position, oldest first, one page. */
export function positionsAfter(db: Db, owner: string, position: number): Promise<EventPositionsPage> {
  return readPositions(
    select(db).where('events.owner', '=', owner).where('position', '>', position).orderBy('position'),
  );
}

/** Events of one session after a number, oldest first, one page. */
export function positionsAfterSeq(db: Db, sessionId: string, seq: number): Promise<EventPositionsPage> {
  return readPositions(
    select(db).where('events.session_id', '=', sessionId).where('events.seq', '>', seq).orderBy('events.seq'),
  );
}

/** Without those of a deleted session whose deletion is still going on. */
function select(db: Db) {
  return db
    .selectFrom('events')
    .leftJoin('messages', 'messages.id', 'events.message_id')
    .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM detached_contents AS gone
      WHERE gone.session_id = events.session_id AND events.seq <= gone.events_upto)`);
}

/** The length of a text is known without reading the text. */
async function readPositions(query: ReturnType<typeof select>): Promise<EventPositionsPage> {
  const bytes = sql<number>`octet_length(data) + coalesce(octet_length(messages.parts), octet_length(messages.text), 0)`;
  const places = await query
    .select(['position', 'events.session_id as sessionId', 'events.seq', bytes.as('bytes')])
    .limit(PAGE)
    .execute();
  let total = 0;
  const tooMany = places.findIndex((place, index) => {
    total += place.bytes;
    return index > 0 && total > PAGE_BYTES;
  });
  if (tooMany >= 0) return { places: places.slice(0, tooMany), isLast: false };
  return { places, isLast: places.length < PAGE };
}

/** The events at some positions, by position. */
export async function eventsAt(db: Db, positions: readonly number[]): Promise<SessionEvent[]> {
  const rows = await select(db)
    .select(['position', 'events.session_id', 'events.seq', 'type', 'at', 'data', 'message_id'])
    .select(['messages.text', 'messages.parts'])
    .where('position', 'in', sql<number>`(SELECT value FROM json_each(${JSON.stringify(positions)}))`)
    .execute();
  return rows.map((row) => {
    const data = JSON.parse(row.data);
    if (row.message_id) data.message = withWords(data.message, row.text, row.parts);
    const at = new Date(row.at).toISOString();
    const envelope = { type: row.type, sessionId: row.session_id, seq: row.seq, position: row.position, at };
    return { ...envelope, ...data } as SessionEvent;
  });
}

function withWords(message: Message, text: string | null, parts: string | null): Message {
  return { ...message, text: text ?? '', parts: toParts(text ?? '', parts) };
}

export async function newestPosition(db: Db): Promise<number> {
  return (await selectNewest(db))[0]?.position ?? 0;
}

/** Never less than what has been pruned: a position is used once. */
const selectNewest = statement<{ position: number }>(
  'SELECT max(coalesce((SELECT max(position) FROM events), 0), pruned_position) AS position FROM event_retention',
);

/** When the newest event was stored; of a log whose events are all pruned, the newest message. */
export async function newestTime(db: Db): Promise<number> {
  return (await selectNewestTime(db))[0]?.at ?? 0;
}

const selectNewestTime = statement<{ at: number | null }>(`SELECT coalesce(
  (SELECT at FROM events WHERE position = (SELECT max(position) FROM events)),
  (SELECT created_at FROM messages WHERE rid = (SELECT max(rid) FROM messages))) AS at`);

export async function newestEpoch(db: Db): Promise<string> {
  const row = await db
    .selectFrom('event_epochs')
    .select('id')
    .orderBy('after_position', 'desc')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function insertEpoch(db: Db, id: string, afterPosition: number): Promise<void> {
  await db.insertInto('event_epochs').values({ id, after_position: afterPosition }).execute();
}

/** The newest position that a client can know from an epoch: null while it lasts, undefined when it is not known here. */
export async function endOfEpoch(db: Db, id: string): Promise<number | null | undefined> {
  return (await selectEndOfEpoch(db, id))[0]?.end;
}

const selectEndOfEpoch = statement<{ end: number | null }>(`SELECT (SELECT min(later.after_position)
    FROM event_epochs AS later WHERE later.after_position > epoch.after_position) AS end
  FROM event_epochs AS epoch WHERE epoch.id = ?`);

/** Where an event of a session is among all events; undefined when it is not kept. */
export async function positionOf(db: Db, sessionId: string, seq: number): Promise<number | undefined> {
  return (await selectPosition(db, sessionId, seq))[0]?.position;
}

const selectPosition = statement<{ position: number }>('SELECT position FROM events WHERE session_id = ? AND seq = ?');

export async function prunedPosition(db: Db): Promise<number> {
  const row = await db.selectFrom('event_retention').select('pruned_position').executeTakeFirstOrThrow();
  return row.pruned_position;
}

/** The newest position among at most `limit` events that are older than a moment; null when there are none. */
export async function oldEventsEnd(db: Db, before: number, limit: number): Promise<number | null> {
  const oldest = db.selectFrom('events').select(['position', 'at']).orderBy('position').limit(limit).as('oldest');
  const row = await db
    .selectFrom(oldest)
    .select((eb) => eb.fn.max('oldest.position').as('position'))
    .where('oldest.at', '<', before)
    .executeTakeFirst();
  return row?.position ?? null;
}

/** Forgets events up to a position; their sessions remember from where on they can be followed. */
export async function deleteEventsUpto(db: Db, position: number): Promise<void> {
  await sql`UPDATE sessions SET event_floor = old.seq
    FROM (SELECT session_id, max(seq) AS seq FROM events WHERE position <= ${position} GROUP BY session_id) AS old
    WHERE sessions.id = old.session_id`.execute(db);
  await db.deleteFrom('events').where('position', '<=', position).execute();
  await db.updateTable('event_retention').set({ pruned_position: position }).execute();
  await sql`DELETE FROM event_epochs WHERE after_position < (SELECT max(after_position) FROM event_epochs
    WHERE after_position <= ${position})`.execute(db);
}
