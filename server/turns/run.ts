import { AppError } from '../../contract/errors.ts';
import { say as textOf } from '../../contract/texts.ts';
import { toTurnError } from '../../contract/turns.ts';
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
import type { ToolEndpoint } from '../agents/host-requests.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Connection } from '../sessions/store.ts';
import type { Histories } from '../sessions/transcript.ts';
import type { BackgroundSession, BackgroundWork } from '../tools/tool.ts';
import { type EventDeps, takeEvent } from './agent-events.ts';
import type { AgentRequests } from './agent-requests.ts';
import type { ReportedCalls } from './reported-calls.ts';
import type { RunningTurn } from './running-turn.ts';
import type { Outcome } from './settle.ts';
import { noteShown, readInput } from './turn-input.ts';
import type { TurnWorkspace } from './turn-workspace.ts';

/** What running a turn needs from the rest of the server. */
export interface RunContext extends EventDeps {
  readonly agents: AgentDirectory;
  readonly histories: Histories;
  readonly db: Connection;
  steer(running: RunningTurn): Promise<TurnInput['history']>;
  /** Archives older messages behind a summary; true when it did. */
  compact(running: RunningTurn, agent: ResolvedAgent, keepTokens: number): Promise<boolean>;
  tools(running: RunningTurn, agent: ResolvedAgent): Promise<TurnTools>;
  delegates(running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null;
  mayStep(running: RunningTurn, step: number): Promise<AgentEnd | null>;
  /** The tools that the agent runs itself, what it asks the person, and where its programs work. */
  forAgent(running: RunningTurn): Pick<Means, 'reported' | 'requests' | 'workspace'>;
  toolEndpoint(running: RunningTurn): ToolEndpoint;
  openWork(running: RunningTurn, work: BackgroundWork): Promise<BackgroundSession>;
  /** Work that is no agent's: it goes on in a session of its own. */
  worker(running: RunningTurn): Agent | undefined;
}

/** Takes a turn from its first request to its end. Never throws: a defect is a failed turn. */
export async function runTurn(context: RunContext, running: RunningTurn): Promise<Outcome> {
  try {
    const worker = context.worker(running);
    const agent = context.agents.find(running.turn.agent_id);
    if (!agent) return gone(running);
    if (agent.unavailableReason && !worker) return unavailable(running, agent);
    running.agent = worker ?? context.agents.open(agent);
    const tools = await context.tools(running, agent);
    const delegates = context.delegates(running, agent);
    if (running.turn.pending !== null && !(await delegates?.follow(JSON.parse(running.turn.pending))))
      return toOutcome(running, STOPPED_AT_LIMIT);
    return toOutcome(
      running,
      await runAgent(context, running, { agent, tools, delegates, ...context.forAgent(running) }),
    );
  } catch (error) {
    return running.stop ? toOutcome(running, ABORTED) : defect(running, error);
  }
}

const ABORTED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };

const STOPPED_AT_LIMIT: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };

const CLEAN_UP_MS = 3000;

interface Means {
  agent: ResolvedAgent;
  reported: ReportedCalls;
  requests: AgentRequests;
  workspace: TurnWorkspace;
  tools: TurnTools;
  delegates: TurnDelegates | null;
}

async function runAgent(context: RunContext, running: RunningTurn, means: Means): Promise<AgentEnd> {
  if (running.isResumed) await means.requests.takeUp();
  const input = await readInput(context, running);
  const events = running.agent!.run(input, hostOf(context, running, means), running.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value: event } = await events.next();
      if (done) return { type: 'end', reason: 'failed', stopReason: 'error' };
      if (event.type === 'end') return event;
      const work = takeEvent(context, running, means, event);
      if (work) await work;
    }
  } finally {
    means.requests.close();
    await cleanUp(events);
    await means.workspace.end();
  }
}

/** An agent cleans up before its turn is over, but not for longer than a stopped one may take. */
async function cleanUp(events: AsyncIterator<AgentEvent>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLEAN_UP_MS);
  await Promise.race([events.return?.().catch(() => undefined), late]);
  clearTimeout(timer);
}

function hostOf(
  context: RunContext,
  running: RunningTurn,
  { agent, tools, delegates, requests, workspace }: Means,
): TurnHost {
  return {
    tools,
    delegates: delegates && showing(running, delegates),
    steer: async () => shown(running, await context.steer(running)),
    mayStep: (step) => context.mayStep(running, step),
    workspace: () => workspace.folder(),
    toolEndpoint: () => context.toolEndpoint(running),
    approve: (call) => requests.approve(call),
    ask: (id, question) => requests.ask(id, question),
    openWork: (work) => context.openWork(running, work),
    compact: async (keepTokens) =>
      (await context.compact(running, agent, keepTokens)) ? readInput(context, running) : null,
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

const NOTHING_SAID = toTurnError('empty_answer', textOf('empty_answer'), true);

function toOutcome(running: RunningTurn, end: AgentEnd): Outcome {
  if (running.stop) return running.outcome(running.stop.state, running.stop.stopReason, running.stop.error);
  if (end.reason === 'complete') {
    if (saidNothing(running)) return running.outcome('failed', 'empty', NOTHING_SAID);
    return running.outcome('complete', end.stopReason, null);
  }
  if (end.reason === 'interrupted') return running.outcome('interrupted', end.stopReason, end.error ?? null);
  if (end.reason === 'cancelled') return running.outcome('cancelled', end.stopReason, null);
  return running.outcome('failed', end.stopReason, end.error ?? BROKEN);
}

/** A turn that has used tools may end without text. */
function saidNothing({ output, turn }: RunningTurn): boolean {
  return !output.hasAnswer && turn.answer_id === null && output.calls.length === 0;
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
