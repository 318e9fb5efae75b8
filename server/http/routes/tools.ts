import { AppError } from '../../../contract/errors.ts';
import { newId } from '../../../contract/ids.ts';
import { say } from '../../../contract/texts.ts';
import type { RunTool, ToolRun } from '../../../contract/tools.ts';
import type { ResolvedAgent } from '../../agents/resolved-agent.ts';
import { describeStorageFailure } from '../../storage/failure.ts';
import { InputError, type Tool, type ToolContext, ToolFailure } from '../../tools/tool.ts';
import { cutOutput, toToolCall } from '../../turns/call-rows.ts';
import { loadCall } from '../../turns/call-store.ts';
import { withoutWords } from '../../turns/plan-call.ts';
import { listToolCalls } from '../../turns/read.ts';
import type { RunningTurn } from '../../turns/running-turn.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

type ToolDeps = Pick<RouteDeps, 'agents' | 'audit' | 'configuration' | 'log' | 'tooling'>;

export function toolRoutes(router: Router, deps: ToolDeps): void {
  const { tooling, log } = deps;
  const limit = () => deps.configuration.current.limits.toolOutputBytes;
  router.on('listTools', async ({ c, query }) => ({
    tools: await tooling.list(viewer(deps, c, query.agent)),
    issues: tooling.issues(),
  }));
  router.on('listSkills', ({ c, query }) => ({ skills: tooling.skills(viewer(deps, c, query.agent)) }));
  router.on('explain', ({ query }) => {
    deps.agents.require(query.agent);
    return tooling.explain(query.agent, query.tool);
  });
  router.on('runTool', ({ c, owner, body }) => {
    const turn = c.get('turn');
    return turn ? callAsTurn(deps, turn, body, c.req.raw.signal) : callAsPerson(deps, c, owner, body);
  });
  router.on('listToolCalls', ({ owner, params }) => listToolCalls(log, owner, params.turnId, limit()));
  router.on('getToolCall', async ({ owner, params }) => {
    const row = await loadCall(log.db, owner, params.callId);
    return toToolCall({ ...row, output: row.output === null ? null : cutOutput(row.id, row.output, limit()) });
  });
  router.on('toolCallOutput', async ({ c, owner, params }) => {
    const { output } = await loadCall(log.db, owner, params.callId);
    return c.body(output ?? '', 200, { 'Content-Type': 'text/plain; charset=utf-8' });
  });
  mcpRoutes(router, deps);
}

/** A turn sees what its own agent sees, whomever it asks about. */
function viewer({ agents }: ToolDeps, c: Ctx, agentId: string | undefined): ResolvedAgent | null {
  const turn = c.get('turn');
  if (turn) return agents.require(turn.turn.agent_id);
  return agentId === undefined ? null : agents.require(agentId);
}

function mcpRoutes(router: Router, { tooling, audit }: ToolDeps): void {
  const note = (c: Ctx, action: string, object: string) =>
    audit({ owner: c.get('owner'), action, object, detail: null, request_id: c.get('requestId') });
  router.on('listMcpServers', () => ({ servers: tooling.servers() }));
  router.on('restartMcpServer', async ({ c, params }) => {
    const server = await tooling.mcp.restart(params.name);
    await note(c, 'mcp.restarted', params.name);
    return server;
  });
  router.on('acceptMcpDefinitions', async ({ c, params, body }) => {
    const server = await tooling.mcp.accept(params.name, body.hash);
    await note(c, 'mcp.accepted', params.name);
    return server;
  });
}

/** Through a skill's command line: the same scope, approvals and record as if the model had called it. */
async function callAsTurn(
  { tooling }: ToolDeps,
  running: RunningTurn,
  wanted: Wanted,
  gone: AbortSignal,
): Promise<ToolRun> {
  const name = nameOf(tooling.findOperation(wanted.plugin ?? '', wanted.operation ?? ''), wanted);
  if (!running.toolset) throw new AppError('tool_not_allowed', say('tool_not_allowed.guest'));
  const row = await running.toolset.carryOutFor('skill', { name, input: JSON.stringify(wanted.input) }, gone);
  if (row.ended_at === null) throw new AppError('turn_token_invalid', say('turn_token_invalid.stopped'));
  if (row.state === 'rejected')
    throw new AppError('tool_not_allowed', row.reason ?? say('tool_not_allowed.off', { name }).message);
  return { tool: name, output: row.output ?? '', isError: row.is_error === 1, callId: row.id };
}

type Wanted = Required<Pick<RunTool, 'input'>> & Omit<RunTool, 'input'>;

function nameOf(found: Tool | undefined, { tool, plugin, operation }: Wanted): string {
  if (found) return found.name;
  if (tool !== undefined) return tool;
  throw new AppError(
    'tool_not_found',
    say('tool_not_found.operation', { plugin: plugin ?? '', operation: operation ?? '' }),
  );
}

/** A person needs no permission for their own tools, and does without what only a turn has. */
async function callAsPerson(deps: ToolDeps, c: Ctx, owner: string, wanted: Wanted): Promise<ToolRun> {
  const { tooling } = deps;
  const found = tooling.findOperation(wanted.plugin ?? '', wanted.operation ?? '') ?? tooling.find(wanted.tool ?? '');
  const tool = found ?? tooling.find(nameOf(undefined, wanted));
  if (!tool) throw new AppError('tool_not_found', say('tool_not_found', { name: wanted.tool ?? '' }));
  assertOn(tool);
  const entry = { owner, action: 'tool.used', object: tool.name, detail: null, request_id: c.get('requestId') };
  await deps.audit(entry);
  try {
    const input = tool.parse(wanted.input);
    const { toolMs } = deps.configuration.current.limits;
    const output = await tool.execute(input, personContext(owner, AbortSignal.timeout(toolMs)));
    return { tool: tool.name, output: output.text, isError: output.isError ?? false, callId: null };
  } catch (error) {
    if (error instanceof InputError) throw new AppError('tool_input_invalid', error.message);
    if (error instanceof ToolFailure) return { tool: tool.name, output: error.message, isError: true, callId: null };
    throw describeStorageFailure(error) instanceof AppError ? error : withoutWords(error);
  }
}

/** A tool that the configuration allows to no agent is off, for requests over HTTP as well. */
function assertOn({ name, agents }: Tool): void {
  if (agents?.length !== 0) return;
  throw new AppError('tool_not_allowed', say('tool_not_allowed.off', { name }));
}

function personContext(owner: string, signal: AbortSignal): ToolContext {
  const needsTurn = () =>
    Promise.reject(new ToolFailure('Only an agent that is running a turn can do that.', 'no_turn'));
  return {
    owner,
    agentId: null,
    sessionId: null,
    turnId: null,
    callId: newId(),
    resumed: false,
    approvedFolder: null,
    signal,
    progress: () => undefined,
    ask: needsTurn,
    waiting: async () => undefined,
    background: needsTurn,
    hops: 0,
    attach: () => undefined,
    denies: () => false,
    turnToken: () => null,
  };
}
