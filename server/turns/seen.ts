import type { Seen } from '../../contract/turns.ts';
import type { SeenRequest } from '../agents/adapter.ts';
import { readAs } from '../agents/prompt/reader.ts';
import type { EventLog } from '../events/log.ts';
import { toMessage, toTime } from '../sessions/views.ts';
import type { TurnRow } from '../storage/tables.ts';
import { loadTurn, selectAncestry, selectCompactionsUntil, selectRequests, selectSteered } from './store.ts';

/** The requests that were built for a turn: framing and tools as recorded, the history read again as that agent. */
export async function readSeen(log: EventLog, owner: string, turnId: string): Promise<Seen> {
  const turn = await loadTurn(log.db, owner, turnId);
  const rows = await selectRequests(log.db, turnId);
  const steps = [];
  for (const row of rows) {
    const request: SeenRequest = JSON.parse(row.request);
    const messages = await readHistory(log, turn, row);
    steps.push({ ...request, tools: [...request.tools], step: row.step, at: toTime(row.at), messages });
  }
  return { turnId, agentId: turn.agent_id, guest: turn.guest === 1, steps };
}

async function readHistory(log: EventLog, turn: TurnRow, request: { step: number; at: number }) {
  const line = await selectAncestry(log.db, turn.message_id, 0);
  const onLine = new Set(line.map((message) => message.id));
  const compactions = await selectCompactionsUntil(log.db, turn.session_id, request.at);
  const compaction = compactions.find((one) => onLine.has(one.last_message_id));
  const shown = line.filter((message) => message.seq! > (compaction?.upto_seq ?? 0));
  const later = request.step > 0 ? await selectSteered(log.db, turn, request.at) : [];
  const history = [...shown, ...later].map(toMessage).filter((message) => message.text);
  const messages = readAs(turn.agent_id, history, compaction?.summary ?? null);
  return messages.map((message) => ({ role: message.role, text: 'text' in message ? message.text : '' }));
}
