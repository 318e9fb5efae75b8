import type { Seen } from '../../contract/turns.ts';
import type { AttributedMessage, SeenRequest, SpokenStep } from '../agents/agent.ts';
import { asSent } from '../agents/prompt/as-sent.ts';
import { frameInput } from '../agents/prompt/delegated-work.ts';
import { senderFraming } from '../agents/prompt/framing.ts';
import { readAs } from '../agents/prompt/reader.ts';
import type { StoredMessage } from '../sessions/message-store.ts';
import { stepsOf } from '../sessions/steps.ts';
import { type HistoryMessage, toHistory } from '../sessions/transcript.ts';
import { toMessage, toTime } from '../sessions/views.ts';
import type { TurnRow } from '../storage/tables.ts';
import { selectAnswersBefore } from './answers-store.ts';
import { restoreOutput } from './recover.ts';
import { loadTurn, selectAncestry, selectCompactionsUntil, selectDuring, selectRequests } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';
import { senderOf } from './turn-input.ts';

/** The requests that were built for a turn: framing and tools as recorded, the history read again as that agent. */
export async function readSeen(deps: TurnDeps, owner: string, turnId: string): Promise<Seen> {
  const { log, limits } = deps;
  const turn = await loadTurn(log.db, owner, turnId);
  const rows = await selectRequests(log.db, turnId);
  const unstored =
    turn.ended_at === null ? (await restoreOutput(log.db, turn, limits().toolOutputBytes)).toParts() : [];
  const steps = [];
  for (const row of rows) {
    const request: SeenRequest = { ...JSON.parse(row.request), ...(row.text !== null && JSON.parse(row.text)) };
    const messages = await readHistory(deps, turn, row, stepsOf(unstored) ?? []);
    steps.push({ ...request, tools: [...request.tools], step: row.step, at: toTime(row.at), messages });
  }
  return { turnId, agentId: turn.agent_id, guest: turn.guest === 1, steps };
}

interface Request {
  step: number;
  at: number;
}

async function readHistory(
  { log, agents }: TurnDeps,
  turn: TurnRow,
  request: Request,
  unstored: readonly SpokenStep[],
) {
  const line = await selectAncestry(log.db, turn.message_id, 0);
  const onLine = new Set(line.map((message) => message.id));
  const compactions = await selectCompactionsUntil(log.db, turn.session_id, request.at);
  const compaction = compactions.find((one) => onLine.has(one.last_message_id));
  const shown = line.filter((message) => message.seq! > (compaction?.upto_seq ?? 0));
  const later = request.step > 0 ? upto(await selectDuring(log.db, turn, request.at), turn, request, unstored) : [];
  const input = line.at(-1);
  const others = input ? await selectAnswersBefore(log.db, turn, input) : [];
  // After the answers of others, the message that all of them answer is read once more.
  const before = others.length > 0 ? [...shown, ...others, input!] : shown;
  const history = [...before.map(toEntry), ...later].filter(({ text, steps, files }) => text !== '' || steps || files);
  const how = { textOnly: turn.guest === 1, takes: agents.find(turn.agent_id)?.attachments ?? [] };
  const filled = await agents.attachments.withTexts(history);
  const framing = input ? senderFraming(senderOf(toMessage(input))) : null;
  const messages = frameInput(readAs(turn.agent_id, filled, compaction?.summary ?? null, how), framing);
  return asSent(messages).map((message) => ({ role: message.role, text: wordsOf(message) }));
}

function toEntry(row: StoredMessage): HistoryMessage {
  return toHistory(toMessage(row), row.seq!);
}

/**
 * What had happened in a turn before one of its requests. The message that the request led to is stored by now, with what
 * came after it: of that one, only the steps before the request count. Each step of the turn was one request.
 */
function upto(
  rows: readonly StoredMessage[],
  turn: TurnRow,
  { step, at }: Request,
  unstored: readonly SpokenStep[],
): AttributedMessage[] {
  const entries: AttributedMessage[] = [];
  let left = step;
  for (const row of rows) {
    const entry = toEntry(row);
    if (row.turn_id !== turn.id || row.role !== 'assistant') {
      if (row.created_at <= at) entries.push(entry);
      continue;
    }
    const steps = entry.steps ?? [{ text: entry.text, calls: [] }];
    if (steps.length <= left && row.created_at <= at) entries.push(entry);
    else if (left > 0) entries.push({ ...entry, text: '', steps: steps.slice(0, left) });
    left = Math.max(0, left - steps.length);
  }
  const steps = unstored.slice(0, left);
  if (steps.length > 0) entries.push({ role: 'assistant', agent: turn.agent_id, text: '', steps });
  return entries;
}

type Read = ReturnType<typeof readAs>[number];

function wordsOf(message: Read): string {
  if (message.role === 'user') return message.text;
  if (message.role === 'tool') return message.results.map(({ name, output }) => `${name}: ${output}`).join('\n');
  const calls = (message.toolCalls ?? []).map(({ name, input }) => `[${name} ${input}]`);
  return [message.text, ...calls].filter(Boolean).join('\n');
}
