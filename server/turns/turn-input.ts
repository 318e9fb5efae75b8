import type { Message } from '../../contract/messages.ts';
import { textOf } from '../../contract/streamed-messages.ts';
import type { AttributedMessage, SpokenStep, TurnInput, Unseen } from '../agents/agent.ts';
import type { Sender } from '../agents/prompt/framing.ts';
import { findAgentState } from '../sessions/agent-state-store.ts';
import { stepsOf } from '../sessions/steps.ts';
import type { Connection } from '../sessions/store.ts';
import { type History, type HistoryMessage, toHistory } from '../sessions/transcript.ts';
import type { AgentStateRow, TurnRow } from '../storage/tables.ts';
import type { RunningTurn } from './running-turn.ts';
import { findTurn } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/** What a turn is about, as its agent reads it. */
export async function readInput({ histories, log }: TurnDeps, running: RunningTurn): Promise<TurnInput> {
  const { turn, input } = running;
  const history = await histories.of(turn.session_id);
  const kept = running.agent?.traits.ownsContext ? await readState(log.db, running, history) : NOTHING_KEPT;
  noteShown(running, history.messages);
  running.hops = await hopsOf(log.db, turn);
  return {
    sessionId: turn.session_id,
    turnId: turn.id,
    summary: history.summary,
    input: toHistory(input, input.seq ?? 0),
    history: endingWithInput(history, running),
    ...kept,
    othersSpoke: othersSpokeIn(history, turn.agent_id),
    textOnly: turn.guest === 1,
    ...senderOf(input),
    steps: stepsSoFar(running),
    resumed: running.isResumed,
    said: running.isResumed ? textOf(running.output.toParts()) : '',
    hops: running.hops,
  };
}

/** Work for another turn has come as far as the message that began it all. */
async function hopsOf(db: Connection, { root_turn_id: root, hops }: TurnRow): Promise<number> {
  return root === null ? hops : ((await findTurn(db, root))?.hops ?? hops);
}

type Kept = Pick<TurnInput, 'unseen' | 'state'>;

/** Of an agent that is shown the whole history in every turn. */
const NOTHING_KEPT: Kept = { unseen: { summary: null, messages: [] }, state: null };

async function readState(db: Connection, { turn, input }: RunningTurn, history: History): Promise<Kept> {
  const known = await findAgentState(db, turn.session_id, turn.agent_id);
  return { unseen: unseenBy(turn.agent_id, history, input, known), state: known?.token ?? null };
}

/** The agent is shown these messages now: they are no longer unseen. */
export function noteShown(running: RunningTurn, messages: readonly AttributedMessage[]): void {
  running.noteShown(messages.at(-1)?.seq ?? 0);
}

/** When several answer one message, the later ones read what the earlier ones said, and then the message once more. */
function endingWithInput({ messages }: History, { turn, input }: RunningTurn): readonly AttributedMessage[] {
  if (messages.at(-1)?.role !== 'assistant' || turn.answer_id !== null) return messages;
  // An agent that gave work away without a word has begun, too.
  const place = input.seq ?? 0;
  if (messages.some(({ seq, from }) => seq > place && from === turn.agent_id)) return messages;
  return [...messages, toHistory(input, place)];
}

function unseenBy(agentId: string, history: History, input: Message, known: AgentStateRow | undefined): Unseen {
  const others = history.messages.filter(({ id }) => id !== input.id);
  if (!known) return { summary: history.summary, messages: others };
  const isOwn = ({ role, agent }: HistoryMessage) => role === 'assistant' && agent === agentId;
  return {
    summary: known.seen_seq < history.summarisedUpto ? history.summary : null,
    messages: others.filter((message) => message.seq > known.seen_seq && !isOwn(message)),
  };
}

/** The agent that gives work, or the agent that brings its result, or the webhook of a request: one of them, or none. */
export function senderOf({ role, agent, parts }: Pick<Message, 'role' | 'agent' | 'parts'>): Sender {
  const part = parts.find((one) => one.type === 'delegation');
  const sentBy = parts.find((one) => one.type === 'webhook')?.name ?? null;
  if (role === 'delegation') return { askedBy: part?.from ?? null, broughtBy: null, sentBy };
  return part ? { askedBy: null, broughtBy: agent, sentBy } : { askedBy: agent, broughtBy: null, sentBy };
}

function stepsSoFar({ output }: RunningTurn): readonly SpokenStep[] {
  return output.isEmpty ? [] : (stepsOf(output.toParts()) ?? []);
}

function othersSpokeIn(history: History, agentId: string): boolean {
  for (const speaker of history.speakers) if (speaker !== agentId) return true;
  return false;
}
