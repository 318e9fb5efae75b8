import type { Action, ActionList, ActionState, AnswerAction } from '../contract/actions.ts';
import type { KeptMemoryList, RestoredMemory, RestoreMemory } from '../contract/agents.ts';
import type { DelegationList, Mentions, TurnTree, UsageReport } from '../contract/delegation.ts';
import type { SessionSnapshot } from '../contract/snapshot.ts';
import type {
  Explanation,
  GrantList,
  McpServerInfo,
  McpServerList,
  RunTool,
  SkillList,
  ToolCall,
  ToolCallList,
  ToolList,
  ToolRun,
} from '../contract/tools.ts';
import { actionPath, mcpServerPath, sessionPath, toolCallPath, turnPath } from './paths.ts';
import { Transport, type TransportOptions } from './transport.ts';

export interface ActionQuery {
  /** Default: open. */
  state?: ActionState | undefined;
  /** Asked in this session, or on behalf of a turn in it. */
  session?: string | undefined;
  limit?: number | undefined;
}

export interface UsageQuery {
  by?: 'agent' | 'session' | 'model' | 'day' | 'delegation' | undefined;
  /** ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

/** Tools, the actions they open, delegations, and what all of it costs. */
export class WorkClient {
  protected readonly transport: Transport;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  /** A session as it stands; its event stream goes on from there. */
  sessionSnapshot(sessionId: string, query: { messages?: number; turns?: number } = {}): Promise<SessionSnapshot> {
    return this.transport.get(`${sessionPath(sessionId)}/snapshot`, query);
  }

  turnTree(turnId: string): Promise<TurnTree> {
    return this.transport.get(`${turnPath(turnId)}/tree`);
  }

  listDelegations(sessionId: string, query: { limit?: number } = {}): Promise<DelegationList> {
    return this.transport.get(`${sessionPath(sessionId)}/delegations`, query);
  }

  listToolCalls(turnId: string): Promise<ToolCallList> {
    return this.transport.get(`${turnPath(turnId)}/tool-calls`);
  }

  getToolCall(callId: string): Promise<ToolCall> {
    return this.transport.get(toolCallPath(callId));
  }

  toolCallOutput(callId: string): Promise<string> {
    return this.transport.text(`${toolCallPath(callId)}/output`);
  }

  listTools(query: { agent?: string | undefined } = {}): Promise<ToolList> {
    return this.transport.get('/api/tools', query);
  }

  /** Not repeated on network failure: it is unknown then whether the tool ran. */
  runTool(wanted: RunTool, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<ToolRun> {
    return this.transport.json('POST', '/api/tool-runs', { body: wanted, signal });
  }

  listSkills(query: { agent?: string | undefined } = {}): Promise<SkillList> {
    return this.transport.get('/api/skills', query);
  }

  explain(query: { agent: string; tool?: string | undefined }): Promise<Explanation> {
    return this.transport.get('/api/explanations', query);
  }

  listActions({ state, session, limit }: ActionQuery = {}): Promise<ActionList> {
    return this.transport.get('/api/actions', { state, session, limit });
  }

  getAction(actionId: string): Promise<Action> {
    return this.transport.get(actionPath(actionId));
  }

  answerAction(actionId: string, answer: AnswerAction): Promise<Action> {
    return this.transport.post(`${actionPath(actionId)}/answer`, answer);
  }

  listGrants(): Promise<GrantList> {
    return this.transport.get('/api/grants');
  }

  revokeGrant(grantId: string): Promise<void> {
    return this.transport.delete(`/api/grants/${encodeURIComponent(grantId)}`);
  }

  listMcpServers(): Promise<McpServerList> {
    return this.transport.get('/api/mcp-servers');
  }

  restartMcpServer(name: string): Promise<McpServerInfo> {
    return this.transport.post(`${mcpServerPath(name)}/restarts`);
  }

  /** Exactly what was looked at: a server that describes its tools differently by now is refused. */
  acceptMcpDefinitions(name: string, hash: string): Promise<McpServerInfo> {
    return this.transport.post(`${mcpServerPath(name)}/acceptances`, { hash });
  }

  listKeptMemories(): Promise<KeptMemoryList> {
    return this.transport.get('/api/kept-memories');
  }

  restoreMemory(wanted: RestoreMemory): Promise<RestoredMemory> {
    return this.transport.post('/api/memory-restorations', wanted);
  }

  previewMentions(sessionId: string, content: string): Promise<Mentions> {
    return this.transport.post(`${sessionPath(sessionId)}/mention-previews`, { content });
  }

  usage({ by, from, to, agent, session }: UsageQuery = {}): Promise<UsageReport> {
    return this.transport.get('/api/usage', { by, from, to, agent, session });
  }
}
