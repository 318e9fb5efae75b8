import { z } from 'zod';
import { NotifyMode } from '../../contract/delegation.ts';
import { AgentId } from '../../contract/names.ts';
import { textOf } from '../../contract/streamed-messages.ts';
import { say } from '../../contract/texts.ts';
import { NonBlank } from '../../contract/turns.ts';
import { toMessage } from '../sessions/views.ts';
import type { DelegationRow, TurnRow } from '../storage/tables.ts';
import { defineTool } from '../tools/define-tool.ts';
import { commandOf, type Plugin } from '../tools/plugin.ts';
import { skillPathOf } from '../tools/skills.ts';
import { type Tool, type ToolContext, ToolFailure, type ToolOutput } from '../tools/tool.ts';
import { cutBytes, workedMs } from '../turns/call-rows.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { findTurn, loadSessionRow } from '../turns/store.ts';
import type { TurnDeps } from '../turns/turn-deps.ts';
import { failureOf } from './deliver.ts';
import { DelegationRefused, onceThereIsRoom, requireTarget } from './policy.ts';
import { sendDelegated } from './send.ts';
import { expectLater, findDelegationOfCall, selectCallsOf, selectSaid } from './store.ts';
import { watchTurn } from './watch-turn.ts';

/** Two tools: list the agents, and send one of them a message. */
export function agentsPlugin(deps: TurnDeps): Plugin {
  const tools = [agentsList(deps), agentsMessage(deps)];
  const skill = { skillPath: skillPathOf('agents'), command: commandOf('agents') };
  return { id: 'agents', description: 'List other agents and ask them.', tools, ...skill };
}

function agentsList(deps: TurnDeps): Tool {
  return defineTool(
    {
      name: 'agents_list',
      description: 'List the agents you can ask with agents_message.',
      input: z.strictObject({}),
      capabilities: ['agents.read'],
      risk: 'read',
      source: { kind: 'built-in', id: 'agents' },
      operation: 'list',
    },
    async (_, { turnId, agentId: asking }) => {
      const asked = turnId === null ? undefined : deps.coordinator.running(turnId)?.toolset?.scoped;
      const all = [...deps.agents.seenBy(asking).values()];
      const visible = all.filter(({ agentId, uiVisible }) =>
        asked ? asked.decideAgent(agentId, uiVisible).allowed : uiVisible,
      );
      return JSON.stringify(
        visible.map(({ agentId, displayName, description }) => ({ agentId, displayName, description })),
      );
    },
  );
}

const Input = z.strictObject({
  agentId: AgentId.describe('The agent to ask'),
  content: NonBlank.describe('The task, understandable without the rest of this conversation'),
  session: z
    .string()
    .min(1)
    .default('latest-or-create')
    .describe("'latest', 'create', 'latest-or-create' (default), or the id of a session that an earlier call returned"),
  mode: z
    .enum(['sync', 'async'])
    .default('sync')
    .describe("'sync' waits for the reply; 'async' returns at once and the reply arrives later as a message"),
  timeout: z.number().positive().max(86_400).optional().describe('Seconds to wait in sync mode (default 300)'),
  notify: NotifyMode.default('wake').describe('How an async reply reaches you: wake (default), message or none'),
});
type Input = z.output<typeof Input>;

/** Another agent works on a message with its own prompt, history and tools. */
function agentsMessage(deps: TurnDeps): Tool {
  return defineTool(
    {
      name: 'agents_message',
      description:
        'Ask another agent to do something. It works in its own session with its own tools, and you get its reply.',
      input: Input,
      capabilities: ['agents.message'],
      risk: 'write',
      source: { kind: 'built-in', id: 'agents' },
      resumable: true,
      describeFailure: ({ code, message }) => JSON.stringify({ status: 'error', code, message }),
    },
    (input, context) => message(deps, input, context),
  );
}

async function message(deps: TurnDeps, input: Input, context: ToolContext): Promise<ToolOutput> {
  const running = context.turnId === null ? undefined : deps.coordinator.running(context.turnId);
  try {
    if (!running) throw new DelegationRefused('no_turn', say('delegation.noTurn'));
    return await ask(deps, running, input, context);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return failed({
      mode: input.mode,
      status: 'error',
      agentId: input.agentId,
      code: error.code,
      message: error.message,
    });
  }
}

async function ask(deps: TurnDeps, running: RunningTurn, input: Input, context: ToolContext) {
  const known = context.resumed ? await findDelegationOfCall(deps.log.db, context.callId) : undefined;
  const delegation = known ?? (await send(deps, running, input, context));
  const where = await describeTarget(deps, delegation);
  if (delegation.mode === 'async' && input.mode === 'async')
    return told({ mode: 'async', status: 'started', ...where, responseId: delegation.turn_id });
  return waitFor(deps, running, { input, context, delegation, where });
}

async function send(deps: TurnDeps, running: RunningTurn, input: Input, { callId }: ToolContext) {
  const target = requireTarget(deps, running, input.agentId);
  const { content, session, mode, notify } = input;
  const message = { to: target.agentId, content, session, mode, notify, via: 'tool', callId } as const;
  return onceThereIsRoom(deps, running, () => sendDelegated(deps, running, message));
}

interface DelegationTarget {
  agentId: string;
  sessionId: string;
  sessionName: string;
  created: boolean;
}

async function describeTarget({ log }: TurnDeps, row: DelegationRow): Promise<DelegationTarget> {
  const session = await loadSessionRow(log.db, row.session_id);
  const sessionName = session?.name ?? session?.title ?? '';
  return { agentId: row.to_agent, sessionId: row.session_id, sessionName, created: row.created_session === 1 };
}

interface Asked {
  input: Input;
  context: ToolContext;
  delegation: DelegationRow;
  where: DelegationTarget;
}

/** Waits without taking up room. A timeout ends the waiting, not the work. */
async function waitFor(deps: TurnDeps, running: RunningTurn, asked: Asked): Promise<ToolOutput> {
  const { input, context, delegation, where } = asked;
  const seconds = input.timeout ?? deps.delegationLimits().timeoutSeconds;
  const child = await findTurn(deps.log.db, delegation.turn_id);
  const over = child && (await idly(deps, running, () => watch(deps, child, context, seconds)));
  const lasts =
    over === 'timeout' && (await deps.log.write((tx) => expectLater(tx.db, delegation.turn_id, input.notify)));
  if (lasts) return told(timedOut(where, delegation, seconds));
  const settled = over && over !== 'timeout' ? over : await findTurn(deps.log.db, delegation.turn_id);
  if (!settled) return failed({ mode: 'sync', status: 'error', ...where, code: 'session_not_found', message: GONE });
  return report(deps, settled, where);
}

const GONE = 'The session was deleted before the agent replied.';

function watch({ log }: TurnDeps, child: TurnRow, { signal, waiting }: ToolContext, seconds: number) {
  return watchTurn(log, child, {
    timeoutMs: seconds * 1000,
    signal,
    onWaiting: (isWaiting) => void waiting(isWaiting),
  });
}

async function idly<T>({ coordinator }: TurnDeps, running: RunningTurn, work: () => Promise<T>): Promise<T> {
  running.idle += 1;
  coordinator.balance(running);
  try {
    return await work();
  } finally {
    running.idle -= 1;
    if (!running.stop) coordinator.balance(running);
  }
}

function timedOut(where: DelegationTarget, { turn_id }: DelegationRow, timeoutSeconds: number) {
  const message = `No reply after ${timeoutSeconds} seconds. ${where.agentId} keeps working; its reply will reach you later.`;
  return { mode: 'sync', status: 'timeout', ...where, responseId: turn_id, timeoutSeconds, message };
}

async function report(deps: TurnDeps, turn: TurnRow, where: DelegationTarget): Promise<ToolOutput> {
  const { db } = deps.log;
  const said = (await selectSaid(db, turn.session_id, turn.id)).map(toMessage);
  const calls = await selectCallsOf(db, turn.id);
  const whole = textOf(said.flatMap(({ parts }) => parts));
  const response = cutBytes(whole, deps.delegationLimits().responseBytes);
  const thinking = said.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])));
  const facts = {
    responseId: turn.id,
    response,
    ...(response.length < whole.length && { truncated: true }),
    durationMs: Math.max(0, (turn.ended_at ?? 0) - (turn.started_at ?? turn.created_at)),
    toolCallCount: calls.length,
    toolCalls: calls.map((call) => ({ name: call.name, durationMs: workedMs(call) ?? 0 })),
    ...(thinking.length > 0 && {
      thinkingText: cutBytes(thinking.join('\n\n'), deps.delegationLimits().responseBytes),
    }),
  };
  if (turn.state === 'complete') return told({ mode: 'sync', status: 'complete', ...where, ...facts });
  const code = turn.error ? JSON.parse(turn.error).code : `delegate_${turn.state}`;
  return failed({ mode: 'sync', status: turn.state, ...where, ...facts, code, message: failureOf(turn) });
}

function told(result: object): ToolOutput {
  return { text: JSON.stringify(result) };
}

function failed(result: object): ToolOutput {
  return { text: JSON.stringify(result), isError: true };
}
