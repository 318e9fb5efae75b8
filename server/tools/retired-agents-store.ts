import { statement } from '../storage/statement.ts';
import type { KnownAgentRow } from '../storage/tables.ts';

export const deleteGrantsOf = statement('DELETE FROM grants WHERE agent_id = ?');

export const deleteStatesOf = statement('DELETE FROM agent_states WHERE agent_id = ?');

export const selectGrantedAgents = statement<{ agent_id: string }>('SELECT DISTINCT agent_id FROM grants');

/** What an agent keeps for itself is from now on kept under another name. */
export const moveItemsOf = statement('UPDATE plugin_items SET holder = ? WHERE holder = ?');

export const deleteItemsOf = statement('DELETE FROM plugin_items WHERE holder = ?');

export const selectKnownAgents = statement<KnownAgentRow>('SELECT * FROM known_agents');

export const deleteKnownAgent = statement('DELETE FROM known_agents WHERE agent_id = ?');

const COLUMNS = ['agent_id', 'version', 'source', 'file', 'definition'] as const satisfies (keyof KnownAgentRow)[];

/** Takes a JSON array of rows. */
export const saveKnownAgents = statement(`INSERT OR REPLACE INTO known_agents (${COLUMNS.join(', ')})
  SELECT ${COLUMNS.map((column) => `value ->> '${column}'`).join(', ')} FROM json_each(?)`);

/** The same for what it remembers. */
export const moveMemoriesOf = statement('UPDATE memories SET holder = ? WHERE holder = ?');

/** What deleted agents remembered: agents have no "~" in their ids. */
export const selectKeptMemories = statement<{ holder: string; count: number }>(`SELECT holder, count(*) AS count
  FROM memories WHERE owner = ? AND deleted_at IS NULL AND instr(holder, '~') > 0 GROUP BY holder ORDER BY holder`);

export const moveMemory = statement<{ id: string }>(
  'UPDATE memories SET holder = ? WHERE owner = ? AND holder = ? RETURNING id',
);
