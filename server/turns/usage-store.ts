import type { Connection } from '../sessions/store.ts';
import { statement } from '../storage/statement.ts';

export interface UsageRow {
  key: string;
  turns: number;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
  cost: number | null;
}

interface UsageFilter {
  by: 'agent' | 'session' | 'model' | 'day';
  from: number | null;
  to: number | null;
  agent?: string | undefined;
  session?: string | undefined;
}

const KEYS = {
  agent: 'turns.agent_id',
  session: 'turns.session_id',
  model: `coalesce(turns.usage ->> 'model', '')`,
  day: `strftime('%Y-%m-%d', turns.created_at / 1000, 'unixepoch')`,
};

/** Ids of turns begin with their time, so a period is a range of the table and needs no index of its own. */
export function selectUsage(db: Connection, owner: string, filter: UsageFilter): Promise<UsageRow[]> {
  const conditions = ['sessions.owner = ?', 'turns.usage IS NOT NULL', 'turns.id >= ?', 'turns.id < ?'];
  const parameters: unknown[] = [owner, idAt(filter.from ?? 0), filter.to === null ? 'g' : idAt(filter.to)];
  if (filter.agent) conditions.push('turns.agent_id = ?');
  if (filter.session) conditions.push('turns.session_id = ?');
  const given = [filter.agent, filter.session].filter((value) => value !== undefined);
  return statement<UsageRow>(`SELECT ${KEYS[filter.by]} AS key, count(*) AS turns,
      sum(coalesce(usage ->> 'inputTokens', 0)) AS inputTokens, sum(coalesce(usage ->> 'outputTokens', 0)) AS outputTokens,
      sum(coalesce(usage ->> 'cachedInputTokens', 0)) AS cachedInputTokens,
      sum(coalesce(usage ->> 'reasoningTokens', 0)) AS reasoningTokens, sum(usage ->> 'cost') AS cost
    FROM turns JOIN sessions ON sessions.id = turns.session_id
    WHERE ${conditions.join(' AND ')} GROUP BY 1 ORDER BY inputTokens + outputTokens DESC, key`)(
    db,
    ...parameters,
    ...given,
  );
}

function idAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}`;
}
