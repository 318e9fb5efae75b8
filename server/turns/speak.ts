import { AppError } from '../../contract/errors.ts';
import type { Message } from '../../contract/messages.ts';
import type { Usage } from '../../contract/turns.ts';
import type {
  AgentAdapter,
  AgentEnd,
  AgentEvent,
  AttributedMessage,
  SpokenStep,
  TurnDelegates,
  TurnInput,
  TurnTools,
} from '../agents/adapter.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Bus } from '../events/bus.ts';
import { reach } from '../fault-points.ts';
import { stepsOf } from '../sessions/steps.ts';
import { type Histories, type History, toHistory } from '../sessions/transcript.ts';
import type { Flusher } from './flusher.ts';
import type { RunningTurn } from './running-turn.ts';
import type { Outcome } from './settle.ts';
import type { SpokenKind } from './speech.ts';

/** What speaking needs from the rest of the house. */
export interface Stage {
  readonly agents: AgentDirectory;
  readonly histories: Histories;
  readonly bus: Bus;
  readonly flusher: Flusher;
  readonly answerLimit: number;
  steer(running: RunningTurn): Promise<TurnInput['history']>;
  /** Makes room when the history has outgrown the agent; true when it did. */
  compact(running: RunningTurn, agent: ResolvedAgent, why: 'threshold' | 'overflow'): Promise<boolean>;
  tools(running: RunningTurn, agent: ResolvedAgent): Promise<TurnTools>;
  delegates(running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null;
  mayStep(running: RunningTurn, step: number): Promise<AgentEnd | null>;
  /** What a request cost, as far as prices are known. */
  priced(agent: ResolvedAgent, usage: Usage): Usage;
  /** Work that is no agent's: it goes on in a session of its own. */
  worker(running: RunningTurn): AgentAdapter | undefined;
}

/** Takes a turn from its first request to its end. Never throws: a defect is a failed turn. */
export async function speak(stage: Stage, running: RunningTurn): Promise<Outcome> {
  try {
    const worker = stage.worker(running);
    const agent = stage.agents.find(running.turn.agent_id);
    if (!agent) return gone(running);
    if (agent.unavailableReason && !worker) return unavailable(running, agent.unavailableReason);
    running.adapter = worker ?? stage.agents.open(agent);
    const tools = await stage.tools(running, agent);
    const delegates = stage.delegates(running, agent);
    if (running.turn.pending !== null && !(await delegates?.follow(JSON.parse(running.turn.pending))))
      return toOutcome(running, STOPPED_AT_LIMIT);
    await stage.compact(running, agent, 'threshold');
    const means = { agent, tools, delegates };
    const end = await takeOnce(stage, running, means);
    if (end.reason !== 'overflow' || running.stop) return toOutcome(running, end);
    if (!running.speech.isEmpty || !(await stage.compact(running, agent, 'overflow'))) return toOutcome(running, end);
    return toOutcome(running, await takeOnce(stage, running, means));
  } catch (error) {
    return running.stop ? toOutcome(running, ABORTED) : defect(running, error);
  }
}

const ABORTED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };

const STOPPED_AT_LIMIT: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };

interface Means {
  agent: ResolvedAgent;
  tools: TurnTools;
  delegates: TurnDelegates | null;
}

async function takeOnce(stage: Stage, running: RunningTurn, means: Means): Promise<AgentEnd> {
  const history = await stage.histories.of(running.turn.session_id);
  const input = toInput(stage, running, means, history);
  for await (const event of running.adapter!.take(input, running.signal)) {
    if (event.type === 'end') return event;
    listen(stage, running, means.agent, event);
  }
  return { type: 'end', reason: 'failed', stopReason: 'error' };
}

function toInput(stage: Stage, running: RunningTurn, { agent, tools, delegates }: Means, history: History): TurnInput {
  return {
    summary: history.summary,
    history: endingWithInput(history, running),
    othersSpoke: somebodyElseSpoke(history, agent.agentId),
    textOnly: running.turn.guest === 1,
    ...senderOf(running.input),
    steps: stepsSoFar(running),
    tools,
    delegates,
    steer: () => stage.steer(running),
    mayStep: (step) => stage.mayStep(running, step),
  };
}

/** When several answer one message, the later ones read what the earlier ones said, and then the message once more. */
function endingWithInput({ messages }: History, { turn, input }: RunningTurn): readonly AttributedMessage[] {
  if (messages.at(-1)?.role !== 'assistant' || turn.answer_id !== null) return messages;
  // Whoever gave work away without a word has begun, too.
  const place = input.seq ?? 0;
  if (messages.some(({ seq, from }) => seq > place && from === turn.agent_id)) return messages;
  return [...messages, toHistory(input, place)];
}

/** Who gives work, or who brings what came of it: an agent's message is one or the other. */
function senderOf({ role, agent, parts }: Message): Pick<TurnInput, 'askedBy' | 'broughtBy'> {
  const part = parts.find((one) => one.type === 'delegation');
  if (role === 'delegation') return { askedBy: part?.from ?? null, broughtBy: null };
  return part ? { askedBy: null, broughtBy: agent } : { askedBy: agent, broughtBy: null };
}

function stepsSoFar({ speech }: RunningTurn): readonly SpokenStep[] {
  return speech.isEmpty ? [] : (stepsOf(speech.toParts()) ?? []);
}

function somebodyElseSpoke(history: History, agentId: string): boolean {
  for (const speaker of history.speakers) if (speaker !== agentId) return true;
  return false;
}

function listen(
  stage: Stage,
  running: RunningTurn,
  agent: ResolvedAgent,
  event: Exclude<AgentEvent, { type: 'end' }>,
): void {
  switch (event.type) {
    case 'text':
    case 'reasoning':
      say(stage, running, event.type, event.text);
      break;
    case 'rejected_tool':
      running.speech.addRejectedCall({
        callId: event.callId,
        name: event.name,
        input: event.input,
        reason: event.reason,
      });
      break;
    case 'usage':
      running.addUsage(stage.priced(agent, event.usage));
      break;
    case 'seen':
      running.noteRequest(event.request);
      stage.flusher.note(running);
  }
}

/** The path of every token: remember it, tell whoever watches, let the flusher know. */
function say(stage: Stage, running: RunningTurn, kind: SpokenKind, text: string): void {
  if (running.stop) return;
  const { part, offset } = running.speech.add(kind, text);
  const { id: turnId, session_id: sessionId, agent_id: agentId } = running.turn;
  stage.bus.publishDelta({
    owner: running.owner,
    delta: { type: 'delta', sessionId, turnId, agentId, part, kind, offset, text },
  });
  stage.flusher.note(running);
  reach('turn.said');
  if (running.speech.length > stage.answerLimit) running.halt(TOO_LONG);
}

const TOO_LONG = {
  state: 'failed',
  stopReason: 'answer_too_large',
  error: { code: 'answer_too_large', message: 'The answer grew past the limit and was cut off.', retryable: false },
} as const;

const NOTHING_SAID = { code: 'empty_answer', message: 'The model ended without saying anything.', retryable: true };

function toOutcome(running: RunningTurn, end: AgentEnd): Outcome {
  if (running.stop) return running.outcome(running.stop.state, running.stop.stopReason, running.stop.error);
  if (end.reason === 'complete') {
    if (saidNothing(running)) return running.outcome('failed', 'empty', NOTHING_SAID);
    return running.outcome('complete', end.stopReason, null);
  }
  if (end.reason === 'cancelled') return running.outcome('cancelled', end.stopReason, null);
  return running.outcome('failed', end.stopReason, end.error ?? BROKEN);
}

/** Whoever has done something need not speak about it. */
function saidNothing({ speech, turn }: RunningTurn): boolean {
  return !speech.hasWords && turn.answer_id === null && speech.calls.length === 0;
}

const BROKEN = { code: 'agent_failed', message: 'The agent stopped without saying why.', retryable: true };

function gone(running: RunningTurn): Outcome {
  const message = `The agent ${running.turn.agent_id} is no longer configured. Send the message again and name another.`;
  return running.outcome('failed', 'error', { code: 'agent_not_found', message, retryable: false });
}

function unavailable(running: RunningTurn, reason: string): Outcome {
  return running.outcome('failed', 'error', { code: 'agent_unavailable', message: reason, retryable: true });
}

/** The words stay on this side of the wire: they may hold paths or contents. */
function defect(running: RunningTurn, error: unknown): Outcome {
  if (error instanceof AppError)
    return running.outcome('failed', 'error', { code: error.code, message: error.message, retryable: true });
  running.defect = error;
  return running.outcome('failed', 'error', {
    code: 'internal_error',
    message: 'Something went wrong inside Parley; the server log says what.',
    retryable: true,
  });
}
