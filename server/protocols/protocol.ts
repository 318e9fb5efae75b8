import type { Hono } from 'hono';
import type { Action, ActionListQuery, AnswerAction } from '../../contract/actions.ts';
import type { Agent } from '../../contract/agents.ts';
import type { Problem } from '../../contract/errors.ts';
import type { StreamFrame, TurnPartial } from '../../contract/events.ts';
import type { Message, MessageList } from '../../contract/messages.ts';
import type { PlainSession, Session } from '../../contract/sessions.ts';
import type { Receipt, Turn, TurnList } from '../../contract/turns.ts';
import type { Ctx, Env } from '../http/mount.ts';
import type { SseConnection } from '../http/sse.ts';
import type { MessagePage } from '../sessions/message-store.ts';
import type { MessageSearch } from '../sessions/search.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Acceptance } from '../turns/acceptance.ts';
import type { AgentTurnsQuery } from '../turns/agent-turns-store.ts';
import type { Pushes } from './a2a/pushes.ts';

/** One protocol, or a part of one. */
export interface ProtocolRoutes {
  /**
   * Its routes, with their whole paths. Each has a row in `contract/routes/protocols.ts`, which says what it takes to call
   * it; a path without one is refused before it gets here, and the access test fails. A large library is imported when the
   * first request comes: a start does not need it.
   */
  routes(deps: ProtocolDeps): Hono<Env>;
  /**
   * Where its clients expect another shape of failures, also of those that the guard answers. The status stays; undefined: a
   * problem document.
   */
  failures?: { under: string; write(problem: Problem, path: string): unknown };
}

/**
 * What a protocol may do: the verbs that the routes under /api call, for the owner whom the guard has recognised
 * (`c.get('owner')`). All of them throw `AppError`, which becomes an answer once, in the guard.
 */
export interface ProtocolDeps {
  /** Of Parley. */
  readonly version: string;
  /** The origin at which others reach this server (`server.publicUrl`); undefined when that is not configured. */
  publicOrigin(): string | undefined;
  /** The agents that are offered to other programs (`apiExposed`), in the order of the configuration. */
  exposedAgents(): Agent[];
  /** Throws `agent_not_found` for an agent that is not exposed, in the same words as for one that does not exist. */
  exposedAgent(agentId: string): Agent;
  /** A turn of an exposed agent. Throws `turn_not_found` for any other, as for one that does not exist. */
  exposedTurn(owner: string, turnId: string): Promise<{ turn: Turn; answer: Message | null }>;
  /** A session in which a client may go on. Throws `agent_not_exposed` when its primary agent is not exposed. */
  exposedSession(owner: string, sessionId: string): Promise<Session>;
  readonly sessions: Pick<Sessions, 'create' | 'get' | 'list' | 'openByKey' | 'patch' | 'rename' | 'setArchived'>;
  /** With everything that was said and done in answer to it. Gives the session without it. */
  deleteMessage(owner: string, messageId: string): Promise<Session>;
  deleteSession(owner: string, sessionId: string): Promise<void>;
  /** A new session from messages that were said elsewhere. */
  importSession(owner: string, session: PlainSession): Promise<Session>;
  /** The whole session in pieces; throws before the first one when it is not there. */
  exportSession(owner: string, sessionId: string, format: 'json' | 'markdown'): AsyncGenerator<string>;
  /** A file to send with a message; gives its id. */
  uploadFile(owner: string, about: { name: string; mediaType: string }, content: Buffer): Promise<string>;
  /** The same under an id of the caller's choice: sent again, it is the same file. */
  uploadFileOnce(
    owner: string,
    id: string,
    about: { name: string; mediaType: string },
    content: Buffer,
  ): Promise<string>;
  /** Its contents; null when they are missing. */
  readFile(owner: string, fileId: string): Promise<Buffer | null>;
  /** Messages of the branch being shown, oldest first. */
  readMessages(owner: string, sessionId: string, page: MessagePage): Promise<MessageList>;
  /** A message after those that it goes on from, oldest first, whichever branch is being shown. */
  readLineTo(owner: string, messageId: string): Promise<Message[]>;
  readonly search: MessageSearch['search'];
  /** Stores the message and begins its turns. Idempotent on `messageId`. It decides which agents answer. */
  accept(message: Acceptance): Promise<Receipt>;
  /**
   * Accepts a message and tells what becomes of it: `turn.queued` or `turn.started` first, then deltas, tool calls,
   * actions and messages of its turns and the turns nested in them; ends after the last `turn.settled`. A refused message
   * throws before the first frame. Leaving the loop does not stop the turn.
   */
  send(message: Acceptance): AsyncGenerator<StreamFrame>;
  /** The same for a turn that exists: begins with how it stands (events numbered 0, a `turn.partial`), goes on live. */
  follow(owner: string, turnId: string): AsyncGenerator<StreamFrame>;
  readTurn(owner: string, turnId: string): Promise<{ turn: Turn; answer: Message | null }>;
  /** What a running turn has said so far; undefined before its first word. */
  partialOf(owner: string, turn: Pick<Turn, 'id' | 'sessionId'>): TurnPartial | undefined;
  /** Of one agent in the sessions that are its own, newest first, with how many there are on all pages. */
  listTurnsOfAgent(
    owner: string,
    query: Omit<AgentTurnsQuery, 'after'> & { cursor?: string | undefined },
  ): Promise<TurnList & { total: number }>;
  /** Refuses a message that has passed through more servers than agents may delegate in a row. */
  assertHops(hops: number): void;
  /** Resolves when the turn is over, or after a time. */
  waitForTurn(turnId: string, timeoutMs: number): Promise<void>;
  /** Stops a turn and everything that works for it. Gives the ids of the turns that were stopped. */
  cancelTurn(owner: string, turnId: string): Promise<string[]>;
  /** What waits for a person. */
  listActions(owner: string, query: ActionListQuery): Promise<Action[]>;
  answerAction(owner: string, actionId: string, answer: AnswerAction, requestId: string): Promise<Action>;
  /** Addresses that are told how tasks stand. */
  readonly pushes: Pushes;
  /** The request's JSON within the limits of size and depth, without keys that reach a prototype; undefined when there is none. */
  readJson(c: Ctx): Promise<unknown>;
  /**
   * A bounded event stream that closes when the server stops; the route then returns `RESPONSE_ALREADY_SENT`. `onClose` is
   * called when the client has left, or the stream has ended.
   */
  openStream(c: Ctx, onClose?: () => void): SseConnection;
}
