import { AppError } from '../../contract/errors.ts';
import { say as textOf } from '../../contract/texts.ts';
import { toTurnError } from '../../contract/turns.ts';
import {
  type AgentEnd,
  type AgentEvent,
  type AttributedMessage,
  NO_SURROUNDINGS,
  type Surroundings,
  type TurnDelegates,
  type TurnHost,
  type TurnTools,
} from '../agents/agent.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { announceRetry, takeEvent } from './agent-events.ts';
import { mayStep } from './limits.ts';
import type { Outcome } from './outcome.ts';
import { AgentRequests, ReportedCalls } from './own-tools.ts';
import type { RunningTurn } from './running-turn.ts';
import { takeSteering } from './steer.ts';
import { ToolCalls } from './tool-calls.ts';
import type { TurnDeps } from './turn-deps.ts';
import { noteShown, readInput } from './turn-input.ts';
import { scopeAtStart } from './turn-scope.ts';
import { TurnWorkspace } from './turn-workspace.ts';

/** Takes a turn from its first request to its end. Never throws: a defect is a failed turn. */
export async function runTurn(deps: TurnDeps, running: RunningTurn): Promise<Outcome> {
  try {
    const worker = deps.delegation.workerFor(running);
    const agent = deps.agents.find(running.turn.agent_id);
    if (!agent) return gone(running);
    if (agent.unavailableReason && !worker) return unavailable(running, agent);
    running.agent = worker ?? deps.agents.open(agent);
    const given = await give(deps, running, agent);
    if (running.turn.pending !== null && !(await given.delegates?.follow(JSON.parse(running.turn.pending))))
      return toOutcome(running, STOPPED_AT_LIMIT);
    return toOutcome(running, await runAgent(deps, running, given));
  } catch (error) {
    return running.stop ? toOutcome(running, ABORTED) : defect(running, error);
  }
}

const ABORTED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };

const STOPPED_AT_LIMIT: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };

const CLEAN_UP_MS = 3000;

/** What the agent of a turn works with. A guest has neither tools nor delegates. */
interface Given {
  agent: ResolvedAgent;
  tools: TurnTools;
  surroundings: Surroundings;
  delegates: TurnDelegates | null;
  reported: ReportedCalls;
  requests: AgentRequests;
  workspace: TurnWorkspace;
}

async function give(deps: TurnDeps, running: RunningTurn, agent: ResolvedAgent): Promise<Given> {
  const own = {
    agent,
    reported: new ReportedCalls(deps, running),
    requests: new AgentRequests(deps, running),
    workspace: new TurnWorkspace(deps, running),
  };
  if (running.turn.guest === 1) return { ...own, tools: NO_TOOLS, surroundings: NO_SURROUNDINGS, delegates: null };
  running.toolset = new ToolCalls(deps, running, await scopeAtStart(deps, running, agent));
  const { owner, turn, toolset } = running;
  const surroundings = await deps.surroundings({
    owner,
    sessionId: turn.session_id,
    agentId: agent.agentId,
    tools: toolset.scoped,
  });
  return { ...own, tools: toolset, surroundings, delegates: deps.delegation.tagsOf(deps, running, agent) };
}

const NO_TOOLS: TurnTools = {
  offered: [],
  skills: [],
  agents: [],
  starting: [],
  carryOut: () => Promise.reject(new Error('a guest has no tools')),
  takeUp: () => Promise.reject(new Error('a guest has no tools')),
};

async function runAgent(deps: TurnDeps, running: RunningTurn, given: Given): Promise<AgentEnd> {
  if (running.isResumed) await given.requests.takeUp();
  const input = await readInput(deps, running);
  const events = running.agent!.run(input, hostOf(deps, running, given), running.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value: event } = await events.next();
      if (done) return { type: 'end', reason: 'failed', stopReason: 'error' };
      if (event.type === 'end') return event;
      const work = takeEvent(deps, running, given, event);
      if (work) await work;
    }
  } finally {
    given.requests.close();
    await cleanUp(events);
    await given.workspace.end();
  }
}

/** An agent cleans up before its turn is over, but not for longer than a stopped one may take. */
async function cleanUp(events: AsyncIterator<AgentEvent>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLEAN_UP_MS);
  await Promise.race([events.return?.().catch(() => undefined), late]);
  clearTimeout(timer);
}

function hostOf(deps: TurnDeps, running: RunningTurn, given: Given): TurnHost {
  const { agent, tools, surroundings, delegates, requests, workspace } = given;
  return {
    tools,
    surroundings,
    delegates: delegates && showing(running, delegates),
    steer: async () => shown(running, await takeSteering(deps, running)),
    mayStep: (step) => mayStep(deps, running, step),
    workspace: () => workspace.folder(),
    toolEndpoint: (token) => deps.toolEndpoint(deps.tokens.of(running, token)),
    approve: (call) => requests.approve(call),
    ask: (id, question) => requests.ask(id, question),
    announceRetry: (code, waitMs) => announceRetry(deps, running, code, waitMs),
    openWork: (work) => deps.delegation.begin(deps, running, null, work),
    compact: async (keepTokens) =>
      (await deps.compactor.makeRoom(running, agent, keepTokens)) ? readInput(deps, running) : null,
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
