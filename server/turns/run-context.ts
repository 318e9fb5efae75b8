import { Readable } from 'node:stream';
import type { ChainLink } from '../../contract/actions.ts';
import type { DelegationLimits, Limits } from '../../contract/config.ts';
import type { FilePart } from '../../contract/files.ts';
import type { Usage } from '../../contract/turns.ts';
import type { Agent, AgentEnd, TurnDelegates, TurnTools } from '../agents/agent.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { ToolEndpoint } from '../agents/host-requests.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { EventLog } from '../events/log.ts';
import type { Files } from '../files/files.ts';
import type { Histories } from '../sessions/transcript.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import type { Ceiling } from '../tools/scope.ts';
import type { BackgroundSession, BackgroundWork } from '../tools/tool.ts';
import type { Standing, Toolset } from '../tools/toolset.ts';
import type { WorkspaceChanges } from '../workspaces/changes.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { Actions } from './actions.ts';
import { AgentRequests } from './agent-requests.ts';
import type { TurnEngine } from './engine.ts';
import { askToGoOn, usedByRoot } from './limits.ts';
import { ReportedCalls } from './reported-calls.ts';
import type { RunContext } from './run.ts';
import type { RunningTurn } from './running-turn.ts';
import type { EndOfTurn } from './settle.ts';
import { loadSessionRow } from './store.ts';
import type { ToolCallDeps } from './tool-call-deps.ts';
import { TurnToolset } from './toolset.ts';
import { TurnWorkspace, type WorkspaceDeps } from './turn-workspace.ts';

/** Everything a turn depends on. */
export interface TurnDeps extends EndOfTurn {
  readonly log: EventLog;
  readonly histories: Histories;
  readonly agents: AgentDirectory;
  readonly actions: Actions;
  readonly files: Files;
  readonly engine: TurnEngine;
  limits(): Limits;
  delegationLimits(): DelegationLimits;
  /** Of the configured prices. */
  currency(): string;
  /** What an agent may use under its ceilings. */
  toolset(agent: ResolvedAgent, standing: Standing): Promise<Toolset>;
  /** Who asked for a turn, the one the person began first. */
  askersOf(turn: TurnRow): Promise<readonly ChainLink[]>;
  /** The agents that a message begins with, as `@names`; empty when it is for the primary alone. */
  addressed(session: SessionRow, content: string): readonly string[];
  /** Null when `<delegate>` tags of this agent are just words. */
  delegates(running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null;
  background(running: RunningTurn, callId: string | null, work: BackgroundWork): Promise<BackgroundSession>;
  worker(running: RunningTurn): Agent | undefined;
  readonly workspaces: Workspaces;
  readonly changes: WorkspaceChanges;
  /** Where a program that shows this token finds the tools of its turn. */
  toolEndpoint(token: string): ToolEndpoint;
  priced(agent: ResolvedAgent, usage: Usage): Usage;
  report(problem: string, error: unknown): void;
}

export function openRunContext(deps: TurnDeps): RunContext {
  const { agents, histories, log, engine, limits } = deps;
  return {
    agents,
    histories,
    db: log.db,
    bus: log.bus,
    flusher: engine.flusher,
    answerLimit: limits().answerBytes,
    steer: (running) => engine.steer(running),
    compact: (running, agent, keepTokens) => engine.compactor.makeRoom(running, agent, keepTokens),
    tools: (running, agent) => openTools(deps, running, agent),
    delegates: (running, agent) => (running.turn.guest === 1 ? null : deps.delegates(running, agent)),
    mayStep: (running, step) => mayStep(deps, running, step),
    priced: deps.priced,
    forAgent: (running) => forAgent(deps, running),
    toolEndpoint: (running) => deps.toolEndpoint(engine.tokens.of(running)),
    openWork: (running, work) => deps.background(running, null, work),
    saveFile: (owner, file, content) => saveFile(deps.files, owner, file, content),
    worker: deps.worker,
  };
}

function forAgent(deps: TurnDeps, running: RunningTurn) {
  const { workspaces, changes, files, engine } = deps;
  const calls = bench(deps);
  const save: WorkspaceDeps['saveFile'] = (owner, file, content) => saveFile(files, owner, file, content);
  return {
    reported: new ReportedCalls(calls, running),
    requests: new AgentRequests(calls, running),
    workspace: new TurnWorkspace({ workspaces, changes, flusher: engine.flusher, saveFile: save }, running),
  };
}

async function saveFile(
  files: Files,
  owner: string,
  about: { name: string; mediaType: string },
  content: Uint8Array,
): Promise<FilePart> {
  const { id: fileId, name, mediaType, kind, bytes } = await files.upload(owner, about, Readable.from([content]));
  return { type: 'file', fileId, name, mediaType, kind, bytes };
}

async function openTools(deps: TurnDeps, running: RunningTurn, agent: ResolvedAgent): Promise<TurnTools> {
  if (running.turn.guest === 1) return NO_TOOLS;
  if (running.turn.parent_turn_id !== null)
    running.chain = [...(await deps.askersOf(running.turn)), running.chain.at(-1)!];
  const scoped = await deps.toolset(agent, await standingOf(deps, running, running.mode));
  running.toolset = new TurnToolset(bench(deps), running, scoped);
  return running.toolset;
}

/** The same as it is by now: agents, tools and the session's mode may have changed since the turn began. */
async function scopeNow(deps: TurnDeps, running: RunningTurn): Promise<Toolset | null> {
  const agent = deps.agents.find(running.turn.agent_id);
  if (!agent) return null;
  const session = await loadSessionRow(deps.log.db, running.turn.session_id);
  return deps.toolset(agent, await standingOf(deps, running, session?.mode ?? running.mode));
}

const NO_TOOLS: TurnTools = {
  offered: [],
  skills: [],
  agents: [],
  starting: [],
  carryOut: () => Promise.reject(new Error('a guest has no tools')),
  takeUp: () => Promise.reject(new Error('a guest has no tools')),
};

function bench(deps: TurnDeps): ToolCallDeps {
  const { log, actions, engine, limits, background, report } = deps;
  return {
    log,
    flusher: engine.flusher,
    actions,
    limits,
    scope: (running) => scopeNow(deps, running),
    balance: (running) => engine.balance(running),
    background,
    turnToken: (running) => engine.tokens.of(running),
    report,
  };
}

/** A turn is limited by the ceilings of the agents it works for, and by the mode of every session in its chain. */
async function standingOf(deps: TurnDeps, running: RunningTurn, ownMode: string): Promise<Standing> {
  const ceilings: Ceiling[] = [];
  const askers: ResolvedAgent[] = [];
  for (const { agentId, sessionId } of running.chain) {
    const isOwn = sessionId === running.turn.session_id;
    const mode = isOwn ? ownMode : (await loadSessionRow(deps.log.db, sessionId))?.mode;
    if (mode === 'read-only') ceilings.push({ kind: 'mode', mode, sessionId });
    const asker = agentId === running.turn.agent_id ? undefined : deps.agents.find(agentId);
    if (asker) askers.push(asker);
    if (asker?.delegation.ceiling === 'self')
      ceilings.push({ kind: 'agent', scope: asker, ownsTools: deps.agents.ownsTools(agentId) });
  }
  return { ceilings, askers };
}

/** The person decides whether an agent that has taken very many steps, or spent very much, goes on. */
async function mayStep(deps: TurnDeps, running: RunningTurn, step: number): Promise<AgentEnd | null> {
  const { stepsPerTurn } = deps.limits();
  const { tokensPerRoot, costPerRoot } = deps.delegationLimits();
  const goesOn =
    (step < stepsPerTurn || (await askToGoOn(deps, running, 'stepsPerTurn', stepsPerTurn, step + 1))) &&
    (!(tokensPerRoot || costPerRoot) || (await isWithinBudget(deps, running)));
  return goesOn ? null : STOPPED_BY_PERSON;
}

async function isWithinBudget(deps: TurnDeps, running: RunningTurn): Promise<boolean> {
  const { tokensPerRoot, costPerRoot } = deps.delegationLimits();
  const used = await usedByRoot(deps, running);
  const budgets = [
    ['tokensPerRoot', tokensPerRoot, used.inputTokens + used.outputTokens, undefined],
    ['costPerRoot', costPerRoot, used.cost ?? 0, deps.currency()],
  ] as const;
  for (const [name, allowed, spent, currency] of budgets) {
    if (allowed && spent >= allowed && !(await askToGoOn(deps, running, name, allowed, spent, currency))) return false;
  }
  return true;
}

const STOPPED_BY_PERSON: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };
