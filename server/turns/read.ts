import { z } from 'zod';
import type { SessionEvent } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { ToolCallList } from '../../contract/tools.ts';
import type { Turn, TurnList, TurnListQuery } from '../../contract/turns.ts';
import type { EventLog } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { toMessage } from '../sessions/views.ts';
import { readCursor, writeCursor } from '../storage/cursor.ts';
import type { ToolCallRow } from '../storage/tables.ts';
import { type AgentTurnsQuery, countTurnsOfAgent, selectTurnsOfAgent } from './agent-turns-store.ts';
import { cutOutput, toToolCall } from './call-rows.ts';
import { selectCalls } from './call-store.ts';
import { findMessage, findTurn, loadTurn, selectTurns, toTurn } from './store.ts';

export async function readTurn(
  log: EventLog,
  owner: string,
  turnId: string,
): Promise<{ turn: Turn; answer: Message | null }> {
  const row = await loadTurn(log.db, owner, turnId);
  const answer = row.answer_id ? await findMessage(log.db, row.answer_id) : undefined;
  return { turn: toTurn(row), answer: answer ? toMessage(answer) : null };
}

export async function listTurns(
  log: EventLog,
  owner: string,
  sessionId: string,
  { limit, cursor }: TurnListQuery,
): Promise<TurnList> {
  await loadSession(log.db, owner, sessionId);
  const before = cursor === undefined ? undefined : readCursor(Place, cursor)[0];
  const rows = await selectTurns(log.db, sessionId, limit + 1, before);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { turns: page.map(toTurn), next: hasMore ? writeCursor([last.seq]) : null };
}

const Place = z.tuple([z.int()]);

/** Newest first, with how many there are on all pages. */
export async function listTurnsOfAgent(
  log: EventLog,
  owner: string,
  { cursor, ...query }: Omit<AgentTurnsQuery, 'after'> & { cursor?: string | undefined },
): Promise<TurnList & { total: number }> {
  const [createdAt, id] = cursor === undefined ? [] : readCursor(PlaceInTime, cursor);
  const after = createdAt === undefined || id === undefined ? undefined : { createdAt, id };
  const total = await countTurnsOfAgent(log.db, owner, query);
  const rows = await selectTurnsOfAgent(log.db, owner, { ...query, limit: query.limit + 1, after });
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const next = rows.length > query.limit && last ? writeCursor([last.created_at, last.id]) : null;
  return { turns: page.map(toTurn), next, total };
}

const PlaceInTime = z.tuple([z.int(), z.string()]);

/** Resolves when the turn has settled, or after a time. */
export async function waitUntilSettled(log: EventLog, turnId: string, timeoutMs: number): Promise<void> {
  const row = await findTurn(log.db, turnId);
  if (!row || row.ended_at !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const unsubscribe = log.bus.subscribeSession(row.session_id, {
    event: ({ event }) => {
      if (endsTurn(event, turnId)) resolve();
    },
  });
  const again = await findTurn(log.db, turnId);
  if (!again || again.ended_at !== null) resolve();
  await promise;
  clearTimeout(timer);
  unsubscribe();
}

/** A turn is also over when it was taken back, or is gone with everything else. */
function endsTurn(event: SessionEvent, turnId: string): boolean {
  if (event.type === 'turn.settled') return event.turn.id === turnId;
  if (event.type === 'turn.removed') return event.turnId === turnId;
  return event.type === 'session.cleared' || event.type === 'session.deleted';
}

export async function listToolCalls(
  log: EventLog,
  owner: string,
  turnId: string,
  outputLimit: number,
): Promise<ToolCallList> {
  const turn = await loadTurn(log.db, owner, turnId);
  const rows = await selectCalls(log.db, turn.id);
  const cut = (row: ToolCallRow) => (row.output === null ? null : cutOutput(row.id, row.output, outputLimit));
  return { calls: rows.map((row) => toToolCall({ ...row, output: cut(row) })) };
}
