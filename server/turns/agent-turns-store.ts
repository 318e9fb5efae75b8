import { type SelectQueryBuilder, sql } from 'kysely';
import type { TurnState } from '../../contract/turns.ts';
import type { Connection } from '../sessions/store.ts';
import type { Tables, TurnRow } from '../storage/tables.ts';

/** Of one agent, in all sessions of a person that are its own, or in one of them. */
export interface AgentTurnsQuery {
  readonly agentId: string;
  readonly sessionId?: string | undefined;
  /** All states when none is named. */
  readonly states: readonly TurnState[];
  /** Whether the turn waits for an answer to a question; undefined: either. */
  readonly asks?: boolean | undefined;
  /** Its state is from this moment or later. */
  readonly since?: number | undefined;
  readonly limit: number;
  /** The last turn of the page before. */
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
}

/** Newest first. */
export function selectTurnsOfAgent(db: Connection, owner: string, query: AgentTurnsQuery): Promise<TurnRow[]> {
  const { after, limit } = query;
  let rows = matching(db, owner, query).selectAll('turns');
  if (after)
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('turns.created_at', 'turns.id'), '<', tuple(after.createdAt, after.id)),
    );
  return rows.orderBy('turns.created_at', 'desc').orderBy('turns.id', 'desc').limit(limit).execute();
}

export async function countTurnsOfAgent(db: Connection, owner: string, query: AgentTurnsQuery): Promise<number> {
  const rows = matching(db, owner, query).select(({ fn }) => fn.countAll<number>().as('count'));
  return (await rows.executeTakeFirstOrThrow()).count;
}

function matching(db: Connection, owner: string, { agentId, sessionId, states, asks, since }: AgentTurnsQuery) {
  let rows: SelectQueryBuilder<Tables, 'turns' | 'sessions', object> = db
    .selectFrom('sessions')
    .innerJoin('turns', 'turns.session_id', 'sessions.id')
    .where('sessions.owner', '=', owner)
    .where('sessions.agent_id', '=', agentId)
    .where('turns.agent_id', '=', agentId);
  if (sessionId !== undefined) rows = rows.where('sessions.id', '=', sessionId);
  if (states.length > 0) rows = rows.where('turns.state', 'in', states);
  if (since !== undefined)
    rows = rows.where(sql<boolean>`coalesce(turns.ended_at, turns.started_at, turns.created_at) >= ${since}`);
  if (asks !== undefined) rows = rows.where(asks ? ASKS : sql<boolean>`NOT ${ASKS}`);
  return rows;
}

const ASKS = sql<boolean>`(turns.state = 'waiting' AND EXISTS
  (SELECT 1 FROM actions WHERE actions.turn_id = turns.id AND actions.state = 'open' AND actions.kind = 'question'))`;
