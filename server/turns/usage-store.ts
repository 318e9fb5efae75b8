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
  by: 'agent' | 'session' | 'model' | 'day' | 'delegation';
  from: number | null;
  to: number | null;
  agent?: string | undefined;
  session?: string | undefined;
}

const KEYS = {
  agent: 'agent_id',
  session: 'session_id',
  model: `coalesce(usage ->> 'model', '')`,
  day: `strftime('%Y-%m-%d', created_at / 1000, 'unixepoch')`,
  delegation: `(SELECT from_agent || ' → ' || to_agent FROM delegations WHERE turn_id = used.id)`,
};

/**
 * Turns and summaries, also turns that went with a deleted message: what was spent stays spent. What a delegate used
 * belongs to the session in which the person began it, wherever the delegate worked.
 */
const USED = `SELECT turns.id, turns.agent_id, turns.usage, turns.created_at, 1 AS turns,
    coalesce((SELECT root.session_id FROM turns AS root WHERE root.id = turns.root_turn_id), turns.session_id) AS session_id
  FROM turns JOIN sessions ON sessions.id = turns.session_id
  WHERE sessions.owner = ?1 AND turns.usage IS NOT NULL AND turns.id >= ?2 AND turns.id < ?3
  UNION ALL SELECT compactions.id, compactions.agent_id, compactions.usage, compactions.created_at, 0, compactions.session_id
  FROM compactions JOIN sessions ON sessions.id = compactions.session_id
  WHERE sessions.owner = ?1 AND compactions.usage IS NOT NULL AND compactions.id >= ?2 AND compactions.id < ?3
  UNION ALL SELECT gone.id, gone.agent_id, gone.usage, gone.created_at, 1, gone.session_id
  FROM deleted_turn_usage AS gone JOIN sessions ON sessions.id = gone.session_id
  WHERE sessions.owner = ?1 AND gone.id >= ?2 AND gone.id < ?3`;

/** Ids of turns begin with their time, so a period is a range of the table and needs no index of its own. */
export function selectUsage(db: Connection, owner: string, filter: UsageFilter): Promise<UsageRow[]> {
  const { by, from, to, agent, session } = filter;
  const select = statement<UsageRow>(`SELECT ${KEYS[by]} AS key, sum(turns) AS turns,
      sum(coalesce(usage ->> 'inputTokens', 0)) AS inputTokens, sum(coalesce(usage ->> 'outputTokens', 0)) AS outputTokens,
      sum(coalesce(usage ->> 'cachedInputTokens', 0)) AS cachedInputTokens,
      sum(coalesce(usage ->> 'reasoningTokens', 0)) AS reasoningTokens, sum(usage ->> 'cost') AS cost
    FROM (${USED}) AS used
    WHERE (?4 IS NULL OR agent_id = ?4) AND (?5 IS NULL OR session_id = ?5) AND key IS NOT NULL
    GROUP BY 1 ORDER BY inputTokens + outputTokens DESC, key`);
  return select(db, owner, idAt(from ?? 0), to === null ? 'g' : idAt(to), agent ?? null, session ?? null);
}

function idAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}`;
}
