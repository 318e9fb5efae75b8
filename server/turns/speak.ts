import type { AgentEvent, TurnInput } from '../agents/adapter.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Bus } from '../events/bus.ts';
import { reach } from '../fault-points.ts';
import type { Histories, History } from '../sessions/transcript.ts';
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
}

/** Takes a turn from its first request to its end. Never throws: a defect is a failed turn. */
export async function speak(stage: Stage, running: RunningTurn): Promise<Outcome> {
  try {
    const agent = stage.agents.find(running.turn.agent_id);
    if (!agent) return gone(running);
    if (agent.unavailableReason) return unavailable(running, agent.unavailableReason);
    running.adapter = stage.agents.open(agent);
    await stage.compact(running, agent, 'threshold');
    const end = await takeOnce(stage, running, agent);
    if (end.reason !== 'overflow' || running.stop) return toOutcome(running, end);
    if (!running.speech.isEmpty || !(await stage.compact(running, agent, 'overflow'))) return toOutcome(running, end);
    return toOutcome(running, await takeOnce(stage, running, agent));
  } catch (error) {
    return defect(running, error);
  }
}

type End = Extract<AgentEvent, { type: 'end' }>;

async function takeOnce(stage: Stage, running: RunningTurn, agent: ResolvedAgent): Promise<End> {
  const history = await stage.histories.of(running.turn.session_id);
  const input = toInput(stage, running, agent, history);
  for await (const event of running.adapter!.take(input, running.signal)) {
    if (event.type === 'end') return event;
    listen(stage, running, event);
  }
  return { type: 'end', reason: 'failed', stopReason: 'error' };
}

function toInput(stage: Stage, running: RunningTurn, agent: ResolvedAgent, history: History): TurnInput {
  return {
    summary: history.summary,
    history: history.messages,
    othersSpoke: somebodyElseSpoke(history, agent.agentId),
    textOnly: running.turn.guest === 1,
    steer: () => stage.steer(running),
  };
}

function somebodyElseSpoke(history: History, agentId: string): boolean {
  for (const speaker of history.speakers) if (speaker !== agentId) return true;
  return false;
}

function listen(stage: Stage, running: RunningTurn, event: Exclude<AgentEvent, End>): void {
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
      running.addUsage(event.usage);
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

function toOutcome(running: RunningTurn, end: End): Outcome {
  if (running.stop) return running.outcome(running.stop.state, running.stop.stopReason, running.stop.error);
  if (end.reason === 'complete') {
    if (!running.speech.hasWords && running.turn.answer_id === null)
      return running.outcome('failed', 'empty', NOTHING_SAID);
    return running.outcome('complete', end.stopReason, null);
  }
  if (end.reason === 'cancelled') return running.outcome('cancelled', end.stopReason, null);
  return running.outcome('failed', end.stopReason, end.error ?? BROKEN);
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
  running.defect = error;
  return running.outcome('failed', 'error', {
    code: 'internal_error',
    message: 'Something went wrong inside Parley; the server log says what.',
    retryable: true,
  });
}
