import type { AuditList, Health, ServerProof, SignedIn, SignInLink, SignInList } from '../contract/access.ts';
import type {
  AgentDefinition,
  AgentDetail,
  AgentList,
  AgentPatch,
  DiscoveredAgents,
  ServerConfiguration,
  TemplateList,
} from '../contract/agents.ts';
import type { StreamFrame } from '../contract/events.ts';
import type { Message, MessageList } from '../contract/messages.ts';
import type {
  Compaction,
  CreateSession,
  ExportedSession,
  ForkSession,
  PatchSession,
  ResolvedSession,
  SearchResults,
  Session,
  SessionList,
  SessionListInput,
} from '../contract/sessions.ts';
import type {
  Cancelled,
  KillMsg,
  QueueEdit,
  QueueList,
  Receipt,
  Revision,
  Seen,
  SendMessageInput,
  StreamMsg,
  TurnDetail,
  TurnList,
} from '../contract/turns.ts';
import { type FollowOptions, followEvents } from './event-stream.ts';
import { ImportClient } from './import-client.ts';
import { agentPath, ifMatch, sessionPath, turnPath } from './paths.ts';
import { openTurn, sendOnce, streamTurn, withId } from './send.ts';
import type { Query } from './transport.ts';

export interface Waiting {
  /** Seconds to wait for the turn to settle; without it the receipt comes at once. */
  wait?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Everything the server answers, one method per route of the contract. Works in Node and in browsers. */
export class ParleyClient extends ImportClient {
  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  health(signal?: AbortSignal): Promise<Health> {
    return this.transport.get('/health', {}, signal);
  }

  metrics(): Promise<string> {
    return this.transport.text('/metrics');
  }

  openapi(): Promise<Record<string, unknown>> {
    return this.transport.get('/api/openapi.json');
  }

  signIn(code: string): Promise<SignedIn> {
    return this.transport.post('/api/sign-ins', { code });
  }

  signOut(): Promise<void> {
    return this.transport.delete('/api/sign-ins/current');
  }

  listSignIns(): Promise<SignInList> {
    return this.transport.get('/api/sign-ins');
  }

  endSignIn(signInId: string): Promise<void> {
    return this.transport.delete(`/api/sign-ins/${encodeURIComponent(signInId)}`);
  }

  /** Asks the server to prove that it knows the token; no token is sent. */
  proveServer(nonce: string, signal?: AbortSignal): Promise<ServerProof> {
    return this.transport.json('POST', '/api/server-proofs', { body: { nonce }, signal });
  }

  createSignInLink(): Promise<SignInLink> {
    return this.transport.post('/api/sign-in-links');
  }

  listAudit(query: { limit?: number } = {}): Promise<AuditList> {
    return this.transport.get('/api/audit', query);
  }

  listAgents(query: { hidden?: boolean } = {}): Promise<AgentList> {
    return this.transport.get('/api/agents', query);
  }

  createAgent(definition: AgentDefinition): Promise<AgentDetail> {
    return this.transport.post('/api/agents', definition);
  }

  getAgent(agentId: string): Promise<AgentDetail> {
    return this.transport.get(agentPath(agentId));
  }

  /** With a version, a change that another client made meanwhile is not overwritten. */
  updateAgent(agentId: string, patch: AgentPatch, version?: string): Promise<AgentDetail> {
    return this.transport.json('PATCH', agentPath(agentId), { body: patch, headers: ifMatch(version) });
  }

  deleteAgent(agentId: string, version?: string): Promise<void> {
    return this.transport.json('DELETE', agentPath(agentId), { headers: ifMatch(version) });
  }

  listTemplates(): Promise<TemplateList> {
    return this.transport.get('/api/templates');
  }

  listDiscovered(): Promise<DiscoveredAgents> {
    return this.transport.get('/api/discovered-agents');
  }

  getConfiguration(): Promise<ServerConfiguration> {
    return this.transport.get('/api/configuration');
  }

  listSessions(query: SessionListInput = {}): Promise<SessionList> {
    return this.transport.get('/api/sessions', query as Query);
  }

  createSession(wanted: CreateSession = {}): Promise<Session> {
    return this.transport.post('/api/sessions', wanted);
  }

  resolveSession(wanted: { session?: string; agentId: string }): Promise<ResolvedSession> {
    return this.transport.post('/api/session-resolutions', wanted);
  }

  getSession(sessionId: string): Promise<Session> {
    return this.transport.get(sessionPath(sessionId));
  }

  patchSession(sessionId: string, patch: PatchSession): Promise<Session> {
    return this.transport.json('PATCH', sessionPath(sessionId), { body: patch });
  }

  deleteSession(sessionId: string): Promise<void> {
    return this.transport.delete(sessionPath(sessionId));
  }

  renameSession(sessionId: string, name: string, { replace = false } = {}): Promise<Session> {
    return this.transport.put(`${sessionPath(sessionId)}/name`, { name, replace });
  }

  pinSession(sessionId: string): Promise<Session> {
    return this.transport.put(`${sessionPath(sessionId)}/pin`);
  }

  unpinSession(sessionId: string): Promise<Session> {
    return this.transport.delete(`${sessionPath(sessionId)}/pin`);
  }

  archiveSession(sessionId: string): Promise<Session> {
    return this.transport.put(`${sessionPath(sessionId)}/archive`);
  }

  unarchiveSession(sessionId: string): Promise<Session> {
    return this.transport.delete(`${sessionPath(sessionId)}/archive`);
  }

  markRead(sessionId: string): Promise<Session> {
    return this.transport.put(`${sessionPath(sessionId)}/read-mark`);
  }

  chooseHead(sessionId: string, messageId: string): Promise<Session> {
    return this.transport.put(`${sessionPath(sessionId)}/head`, { messageId });
  }

  forkSession(sessionId: string, wanted: ForkSession = {}): Promise<Session> {
    return this.transport.post(`${sessionPath(sessionId)}/forks`, wanted);
  }

  compactSession(
    sessionId: string,
    wanted: { agent?: string | undefined; keep?: number | undefined } = {},
  ): Promise<Compaction> {
    return this.transport.post(`${sessionPath(sessionId)}/compactions`, wanted);
  }

  cancelSession(sessionId: string): Promise<Cancelled> {
    return this.transport.post(`${sessionPath(sessionId)}/cancellation`);
  }

  exportSession(sessionId: string): Promise<ExportedSession> {
    return this.transport.get(`${sessionPath(sessionId)}/export`, { format: 'json' });
  }

  exportMarkdown(sessionId: string): Promise<string> {
    return this.transport.text(`${sessionPath(sessionId)}/export`, { query: { format: 'markdown' } });
  }

  /** One session's frames; `after` is the number of an event in it (`Session.lastSeq`). */
  sessionEvents(sessionId: string, options: FollowOptions = {}): AsyncGenerator<StreamFrame> {
    const now = async () => (await this.getSession(sessionId)).lastSeq;
    return followEvents(this.transport, { ...options, path: `${sessionPath(sessionId)}/events`, query: {}, now });
  }

  listQueue(sessionId: string): Promise<QueueList> {
    return this.transport.get(`${sessionPath(sessionId)}/queue`);
  }

  listTurns(sessionId: string, query: { limit?: number; cursor?: string } = {}): Promise<TurnList> {
    return this.transport.get(`${sessionPath(sessionId)}/turns`, query);
  }

  listMessages(
    sessionId: string,
    query: { before?: number; after?: number; limit?: number } = {},
  ): Promise<MessageList> {
    return this.transport.get(`${sessionPath(sessionId)}/messages`, query);
  }

  /** Accepted and durable when it returns; with `wait`, answered too. Repeated on network failure, accepted once. */
  sendMessage(sessionId: string, message: SendMessageInput, { wait, signal }: Waiting = {}): Promise<Receipt> {
    return sendOnce(this.transport, `${sessionPath(sessionId)}/messages`, withId(message), {
      query: { wait },
      signal,
    });
  }

  /** The turn's own frames until it is settled. */
  streamMessage(
    sessionId: string,
    message: SendMessageInput,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamFrame> {
    return streamTurn(this.transport, `${sessionPath(sessionId)}/messages`, withId(message), signal);
  }

  clearSession(sessionId: string): Promise<Session> {
    return this.transport.delete(`${sessionPath(sessionId)}/messages`);
  }

  getMessage(messageId: string): Promise<Message> {
    return this.transport.get(`/api/messages/${encodeURIComponent(messageId)}`);
  }

  /** For good, with what was said and done in answer to it. */
  deleteMessage(messageId: string): Promise<Session> {
    return this.transport.delete(`/api/messages/${encodeURIComponent(messageId)}`);
  }

  reviseMessage(messageId: string, revision: Revision, { wait, signal }: Waiting = {}): Promise<Receipt> {
    const path = `/api/messages/${encodeURIComponent(messageId)}/revisions`;
    return sendOnce(this.transport, path, withId(revision), { query: { wait }, signal });
  }

  getTurn(turnId: string): Promise<TurnDetail> {
    return this.transport.get(turnPath(turnId));
  }

  editQueued(turnId: string, edit: QueueEdit): Promise<TurnDetail> {
    return this.transport.json('PATCH', turnPath(turnId), { body: edit });
  }

  removeQueued(turnId: string): Promise<void> {
    return this.transport.delete(turnPath(turnId));
  }

  cancelTurn(turnId: string): Promise<Cancelled> {
    return this.transport.post(`${turnPath(turnId)}/cancellation`);
  }

  retryTurn(turnId: string, agent?: string, { wait, signal }: Waiting = {}): Promise<Receipt> {
    return this.transport.json('POST', `${turnPath(turnId)}/retries`, { body: { agent }, query: { wait }, signal });
  }

  seenByTurn(turnId: string): Promise<Seen> {
    return this.transport.get(`${turnPath(turnId)}/seen`);
  }

  search(
    query: {
      q: string;
      session?: string | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    },
    signal?: AbortSignal,
  ): Promise<SearchResults> {
    return this.transport.get('/api/search', query, signal);
  }

  /** Frames of all sessions, or of the named ones; `after` is a position (`SessionList.position`). */
  events(options: FollowOptions & { sessions?: readonly string[] | undefined } = {}): AsyncGenerator<StreamFrame> {
    const now = async () => (await this.listSessions({ limit: 1 })).position;
    const query = { sessions: options.sessions?.join(',') };
    return followEvents(this.transport, { ...options, path: '/api/events', query, now });
  }

  /** Speaks in the session of (agent, sender). Has no id of its own, so nothing is repeated. */
  stream(message: StreamMsg, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<StreamFrame> {
    return openTurn(this.transport, '/api/stream', message, signal);
  }

  kill(wanted: KillMsg): Promise<Cancelled> {
    return this.transport.post('/api/kill', wanted);
  }
}
