import {
  type AgentContext,
  type ClientCapabilities,
  type ListSessionsRequest,
  type ListSessionsResponse,
  RequestError,
  type SessionModeState,
} from '@agentclientprotocol/sdk';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Agent } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import type { Session } from '../../contract/sessions.ts';
import { EditorSession } from './editor-session.ts';

/** The sessions of the person, as an editor creates, lists and opens them. */
export class EditorSessions {
  readonly #client: ParleyClient;
  readonly #agentId: string | undefined;
  readonly #open = new Map<string, EditorSession>();

  constructor(client: ParleyClient, agentId: string | undefined) {
    this.#client = client;
    this.#agentId = agentId;
  }

  /** Programs of its agents work in the editor's folder, unless the server does not allow that folder. */
  async create(cwd: string): Promise<Session> {
    const agents = await this.#agents();
    const agentId = this.#agentId ?? agents.find(({ available }) => available)?.agentId;
    const body = { ...(agentId !== undefined && { agentId }), attributes: { editor: { cwd } } };
    try {
      return await this.#client.call('createSession', { body: { ...body, workspace: { folder: cwd } } });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'workspace_refused') throw error;
      return this.#client.call('createSession', { body });
    }
  }

  find(sessionId: string): Promise<Session> {
    return this.#client.call('getSession', { sessionId });
  }

  /** The modes of a session are the agents that can answer in it. */
  async open(session: Session, editor: AgentContext, capabilities: ClientCapabilities): Promise<SessionModeState> {
    const agents = await this.#agents();
    const names = new Map(agents.map(({ agentId, displayName }) => [agentId, displayName]));
    const opened = new EditorSession({ client: this.#client, editor, capabilities, names }, session);
    this.#open.get(session.id)?.close();
    this.#open.set(session.id, opened);
    // The editor learns the session's id from the answer, and only then what belongs to it.
    setImmediate(() => void opened.announce());
    const availableModes = agents.filter(({ available }) => available).map(toMode);
    return { currentModeId: session.agentId ?? availableModes[0]?.id ?? '', availableModes };
  }

  require(sessionId: string): EditorSession {
    const session = this.#open.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  async list({ cursor, cwd }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const query = { type: 'conversation' as const, ...(cursor && { cursor }) };
    const { sessions, next } = await this.#client.call('listSessions', { query });
    const shown = sessions.map(toInfo).filter((session) => !cwd || session.cwd === cwd);
    return { sessions: shown, ...(next && { nextCursor: next }) };
  }

  async delete(sessionId: string): Promise<Record<string, never>> {
    this.close(sessionId);
    await this.#client.call('deleteSession', { sessionId });
    return {};
  }

  close(sessionId: string): Record<string, never> {
    this.#open.get(sessionId)?.close();
    this.#open.delete(sessionId);
    return {};
  }

  closeAll(): void {
    for (const session of this.#open.values()) session.close();
  }

  async #agents(): Promise<Agent[]> {
    return (await this.#client.call('listAgents')).agents;
  }
}

function toMode({ agentId, displayName, description }: Agent) {
  return { id: agentId, name: displayName, description };
}

/** Sessions that were not begun in an editor have no folder of their own. */
function toInfo({ id, title, updatedAt, attributes, workspace }: Session) {
  const editor = attributes.editor as { cwd?: unknown } | undefined;
  const cwd = typeof editor?.cwd === 'string' ? editor.cwd : (workspace?.folder ?? process.cwd());
  return { sessionId: id, cwd, title, updatedAt };
}
