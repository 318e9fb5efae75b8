import { AppError } from '../../contract/errors.ts';
import { say as textOf } from '../../contract/texts.ts';
import { toTurnError, type Usage } from '../../contract/turns.ts';
import type {
  Agent,
  AgentEnd,
  AgentEvent,
  AttributedMessage,
  TurnDelegates,
  TurnHost,
  TurnInput,
  TurnTools,
} from '../agents/agent.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Bus } from '../events/bus.ts';
import { reach } from '../fault-points.ts';
import type { Connection } from '../sessions/store.ts';
import type { Histories } from '../sessions/transcript.ts';
import type { Flusher } from './flusher.ts';
import type { RunningTurn } from './running-turn.ts';
import type { Outcome } from './settle.ts';
import type { SpokenKind } from './speech.ts';
import { noteShown, readInput } from './turn-input.ts';

/** What speaking needs from the rest of the house. */
export interface Stage {
  readonly agents: AgentDirectory;
  readonly histories: Histories;
  readonly db: Connection;
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
  const input = await readInput(stage, running);
  for await (const event of running.agent!.run(input, hostOf(stage, running, means), running.signal)) {
    if (event.type === 'end') return event;
    listen(stage, running, means.agent, event);
  }
  return { type: 'end', reason: 'failed', stopReason: 'error' };
}

function hostOf(stage: Stage, running: RunningTurn, { agent, tools, delegates }: Means): TurnHost {
  return {
    tools,
    delegates: delegates && showing(running, delegates),
    steer: async () => shown(running, await stage.steer(running)),
    mayStep: (step) => stage.mayStep(running, step),
    compact: async (keepTokens) =>
      (await stage.compact(running, agent, keepTokens)) ? readInput(stage, running) : null,
  };
}

function showing(running: RunningTurn, delegates: TurnDelegates): TurnDelegates {
  return {
    agents: delegates.agents,
    filter: () => delegates.filter(),
    follow: async (wanted) => {
      const answers = await delegates.follow(wanted);
      return answers && shown(running, answers);
    },
  };
}

function shown(running: RunningTurn, messages: readonly AttributedMessage[]): readonly AttributedMessage[] {
  noteShown(running, messages);
  return messages;
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
      break;
    case 'state':
      running.noteState(event.token);
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
