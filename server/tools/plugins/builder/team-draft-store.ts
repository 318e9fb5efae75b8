import { afterTeamCall, TEAM_CALLS, type TeamDraft } from '../../../../contract/builder.ts';
import { statement } from '../../../storage/statement.ts';
import type { Db } from '../../../storage/tables.ts';

/** The draft of a team on the branch being shown, as the calls before this one have made it. */
export async function readTeamDraft(db: Db, sessionId: string, callId: string): Promise<TeamDraft | null> {
  const calls = await selectDraftCalls(db, sessionId, callId);
  return calls.reduce<TeamDraft | null>((draft, { name, input }) => afterTeamCall(draft, name, parse(input)), null);
}

/** Calls of a turn that still runs belong to no message yet. */
const selectDraftCalls = statement<{ name: string; input: string }>(
  `SELECT tool_calls.name, tool_calls.input FROM tool_calls LEFT JOIN messages ON messages.id = tool_calls.message_id
  WHERE tool_calls.session_id = ? AND tool_calls.id <> ? AND tool_calls.began = 1 AND tool_calls.ended_at IS NOT NULL
    AND tool_calls.name IN (${[...TEAM_CALLS].map((name) => `'${name}'`).join(', ')})
    AND (tool_calls.message_id IS NULL OR messages.on_path = 1)
  ORDER BY tool_calls.created_at, tool_calls.turn_id, tool_calls.step, tool_calls.part`,
);

function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return null;
  }
}
