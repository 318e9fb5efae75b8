import { AppError } from '../../contract/errors.ts';
import type { Message } from '../../contract/messages.ts';
import { say as textOf } from '../../contract/texts.ts';
import { toTurnError, type Usage } from '../../contract/turns.ts';
import type {
  Agent,
  AgentEnd,
  AgentEvent,
  AttributedMessage,
  SpokenStep,
  TurnDelegates,
  TurnHost,
  TurnInput,
  TurnTools,
} from '../agents/agent.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { Sender } from '../agents/prompt/framing.ts';
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
  /** Archives older messages behind a summary; true when it did. */
  compact(running: RunningTurn, agent: ResolvedAgent, keepTokens: number): Promise<boolean>;
  tools(running: RunningTurn, agent: ResolvedAgent): Promise<TurnTools>;
  delegates(running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null;
  mayStep(running: RunningTurn, step: number): Promise<AgentEnd | null>;
  /** What a request cost, as far as prices are known. */
  priced(agent: ResolvedAgent, usage: Usage): Usage;
  /** Work that is no agent's: it goes on in a session of its own. */
  worker(running: RunningTurn): Agent | undefined;
}

/** Takes a turn from its first request to its end. Never throws: a defect is a failed turn. */
export async function speak(stage: Stage, running: RunningTurn): Promise<Outcome> {
  try {
    const worker = stage.worker(running);
    const agent = stage.agents.find(running.turn.agent_id);
    if (!agent) return gone(running);
    if (agent.unavailableReason && !worker) return unavailable(running, agent);
    running.agent = worker ?? stage.agents.open(agent);
    const tools = await stage.tools(running, agent);
    const delegates = stage.delegates(running, agent);
    if (running.turn.pending !== null && !(await delegates?.follow(JSON.parse(running.turn.pending))))
      return toOutcome(running, STOPPED_AT_LIMIT);
    return toOutcome(running, await runAgent(stage, running, { agent, tools, delegates }));
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

async function runAgent(stage: Stage, running: RunningTurn, means: Means): Promise<AgentEnd> {
  const input = await readInput(stage, running, means.agent);
  for await (const event of running.agent!.run(input, hostOf(stage, running, means), running.signal)) {
    if (event.type === 'end') return event;
    listen(stage, running, means.agent, event);
  }
  return { type: 'end', reason: 'failed', stopReason: 'error' };
}

function hostOf(stage: Stage, running: RunningTurn, { agent, tools, delegates }: Means): TurnHost {
  return {
    tools,
    delegates,
    steer: () => stage.steer(running),
    mayStep: (step) => stage.mayStep(running, step),
    compact: async (keepTokens) =>
      (await stage.compact(running, agent, keepTokens)) ? readInput(stage, running, agent) : null,
  };
}

async function readInput(stage: Stage, running: RunningTurn, { agentId }: ResolvedAgent): Promise<TurnInput> {
  const history = await stage.histories.of(running.turn.session_id);
  return {
    summary: history.summary,
    history: endingWithInput(history, running),
    othersSpoke: somebodyElseSpoke(history, agentId),
    textOnly: running.turn.guest === 1,
    ...senderOf(running.input),
    steps: stepsSoFar(running),
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
export function senderOf({ role, agent, parts }: Pick<Message, 'role' | 'agent' | 'parts'>): Sender {
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
    case 'retry':
      announceRetry(stage, running, event);
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
  const { speech } = running;
  const { part, offset } = speech.add(kind, text);
  const { id: turnId, session_id: sessionId, agent_id: agentId } = running.turn;
  stage.bus.publishDelta({
    owner: running.owner,
    delta: { type: 'delta', sessionId, turnId, agentId, after: speech.after, part, kind, offset, text },
  });
  stage.flusher.note(running);
  reach('turn.said');
  if (speech.length > stage.answerLimit) running.halt(TOO_LONG);
}

function announceRetry(stage: Stage, running: RunningTurn, { code, waitMs }: { code: string; waitMs: number }): void {
  running.noteRetry(code, waitMs);
  const { id: turnId, session_id: sessionId } = running.turn;
  const delta = { type: 'turn.retrying' as const, sessionId, turnId, code, waitMs };
  stage.bus.publishDelta({ owner: running.owner, delta });
}

const TOO_LONG = {
  state: 'failed',
  stopReason: 'answer_too_large',
  error: toTurnError('answer_too_large', textOf('answer_too_large'), false),
} as const;

const NOTHING_SAID = toTurnError('empty_answer', textOf('empty_answer'), true);

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

const BROKEN = toTurnError('agent_failed', textOf('agent_failed'), true);

function gone(running: RunningTurn): Outcome {
  const text = textOf('agent_gone', { id: running.turn.agent_id });
  return running.outcome('failed', 'error', toTurnError('agent_not_found', text, false));
}

function unavailable(running: RunningTurn, { unavailableReason, unavailableText }: ResolvedAgent): Outcome {
  return running.outcome('failed', 'error', {
    code: 'agent_unavailable',
    message: unavailableReason ?? '',
    retryable: true,
    ...(unavailableText && { text: unavailableText }),
  });
}

/** The words stay on this side of the wire: they may hold paths or contents. */
function defect(running: RunningTurn, error: unknown): Outcome {
  if (error instanceof AppError)
    return running.outcome('failed', 'error', {
      code: error.code,
      message: error.message,
      retryable: true,
      ...(error.text && { text: error.text }),
    });
  running.defect = error;
  return running.outcome('failed', 'error', toTurnError('internal_error', textOf('internal_error'), true));
}
