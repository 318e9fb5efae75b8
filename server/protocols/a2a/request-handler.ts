import { createHash } from 'node:crypto';
import {
  type AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
} from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Action } from '../../../contract/actions.ts';
import { AppError } from '../../../contract/errors.ts';
import type { StreamFrame } from '../../../contract/events.ts';
import { newId } from '../../../contract/ids.ts';
import type { Turn } from '../../../contract/turns.ts';
import type { Acceptance } from '../../turns/acceptance.ts';
import type { ProtocolDeps } from '../protocol.ts';
import { toQuery } from './listing.ts';
import { pieceResponse, statusResponse, taskResponse, toTask } from './tasks.ts';
import { TurnText } from './turn-text.ts';

/** Who asks, for which agent. */
export interface Caller {
  readonly owner: string;
  readonly agentId: string;
  readonly requestId: string;
  /** How many servers the message has passed through. */
  readonly hops: number;
  readonly card: AgentCard;
}

type Responses = AsyncGenerator<StreamResponse, void, undefined>;

/** The tasks of one agent are its turns, read and begun with the verbs that every other way in uses. */
export class TurnRequestHandler implements A2ARequestHandler {
  readonly #deps: ProtocolDeps;
  readonly #caller: Caller;

  constructor(deps: ProtocolDeps, caller: Caller) {
    this.#deps = deps;
    this.#caller = caller;
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#caller.card;
  }

  async sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    return described(async () => {
      assertRole(message);
      const turnId = message?.taskId ? await this.#answer(message) : await this.#begin(message);
      if (configuration?.returnImmediately) return this.#read(turnId);
      for await (const response of this.#follow(turnId)) if (isPause(response)) break;
      return this.#read(turnId);
    });
  }

  async *sendMessageStream({ message }: SendMessageRequest): Responses {
    assertRole(message);
    if (message?.taskId) return yield* this.#follow(await described(() => this.#answer(message)));
    const frames = this.#deps.send(await described(() => this.#acceptance(message)));
    const first = await described(() => frames.next());
    if (first.done) return;
    const turn = turnIn(first.value);
    if (turn) yield* this.#tell(turn.id, joined(first.value, frames));
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): Responses {
    await described(() => this.#turn(id));
    yield* this.#follow(id);
  }

  async getTask({ id }: GetTaskRequest): Promise<Task> {
    return described(() => this.#read(id));
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return described(async () => {
      if ((await this.#turn(id)).endedAt !== null) throw new TaskNotCancelableError();
      await this.#deps.cancelTurn(this.#caller.owner, id);
      return this.#read(id);
    });
  }

  /** The newest first, of one context or of all of them. */
  async listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    return described(async () => {
      const { owner, agentId } = this.#caller;
      const query = toQuery(agentId, request);
      const { turns, next, total } = await this.#deps.listTurnsOfAgent(owner, query);
      const tasks = await Promise.all(turns.map(({ id }) => this.#read(id)));
      const shown = request.includeArtifacts ? tasks : tasks.map((task) => ({ ...task, artifacts: [] }));
      return { tasks: shown, nextPageToken: next ?? '', pageSize: query.limit, totalSize: total };
    });
  }

  getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    return Promise.reject(new ExtendedAgentCardNotConfiguredError());
  }

  createTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  getTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  listTaskPushNotificationConfigs(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  deleteTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  async #begin(message: Message | undefined): Promise<string> {
    return (await this.#deps.accept(await this.#acceptance(message))).turn.id;
  }

  /** A context is a session of the caller with this agent. Without one, a session is made. */
  async #acceptance(message: Message | undefined): Promise<Acceptance> {
    if (!message) throw new RequestMalformedError('The request has no message.');
    const { owner, agentId, hops } = this.#caller;
    this.#deps.assertHops(hops);
    const content = wordsOf(message);
    const messageId = message.messageId === '' ? undefined : idOf(agentId, message.messageId);
    const common = { owner, content, messageId, hops, busy: 'queue' as const };
    if (message.contextId === '') return { ...common, sessionId: this.#contextFor(message), create: { agentId } };
    const session = await this.#deps.sessions.get(owner, message.contextId);
    if (session.agentId !== agentId) throw new RequestMalformedError('The context belongs to another agent.');
    return { ...common, sessionId: session.id };
  }

  /** The same message, sent again without the context that it began, begins the same one. */
  #contextFor({ messageId }: Message): string {
    const { owner, agentId } = this.#caller;
    return messageId === '' ? newId() : idOf(`context of ${owner}`, `${agentId}\n${messageId}`);
  }

  /** The caller's message is the answer to what the agent has asked; approvals are for the owner alone. */
  async #answer(message: Message): Promise<string> {
    const turn = await this.#turn(message.taskId);
    const question = await this.#question(turn);
    if (!question) throw new UnsupportedOperationError('The task does not wait for an answer.');
    const answer = { decision: 'answer' as const, text: wordsOf(message) };
    await this.#deps.answerAction(this.#caller.owner, question.id, answer, this.#caller.requestId);
    return turn.id;
  }

  async #read(turnId: string): Promise<Task> {
    const turn = await this.#turn(turnId);
    const { answer } = await this.#deps.readTurn(this.#caller.owner, turnId);
    const text = answer?.text ?? (turn.endedAt === null ? await this.#textSoFar(turnId) : '');
    return toTask(turn, text, await this.#question(turn));
  }

  async #textSoFar(turnId: string): Promise<string> {
    const text = new TurnText(turnId);
    for await (const frame of this.#deps.follow(this.#caller.owner, turnId)) {
      if (frame.type === 'turn.partial' || frame.type === 'delta') return text.take(frame);
      if (frame.type === 'turn.settled' || frame.type === 'turn.queued' || frame.type === 'turn.started') continue;
      return '';
    }
    return '';
  }

  /** Of this agent and this caller; any other is not found. */
  async #turn(turnId: string): Promise<Turn> {
    const { turn } = await this.#deps.readTurn(this.#caller.owner, turnId);
    if (turn.agentId !== this.#caller.agentId) throw new TaskNotFoundError();
    return turn;
  }

  async #question(turn: Turn): Promise<Action | null> {
    if (turn.state !== 'waiting') return null;
    const open = await this.#deps.listActions(this.#caller.owner, {
      session: turn.sessionId,
      state: 'open',
      limit: 100,
    });
    return open.find(({ kind, turnId }) => kind === 'question' && turnId === turn.id) ?? null;
  }

  #follow(turnId: string): Responses {
    return this.#tell(turnId, this.#deps.follow(this.#caller.owner, turnId));
  }

  /** How the task stands, then every piece of its answer, then how it ended or what it asks. */
  async *#tell(turnId: string, frames: AsyncIterable<StreamFrame>): Responses {
    const text = new TurnText(turnId);
    let own: Turn | undefined;
    for await (const frame of frames) {
      const turn = turnIn(frame);
      if (!own && turn?.id === turnId) {
        own = turn;
        yield taskResponse(toTask(turn, '', null));
      }
      const isFirst = !text.hasSpoken;
      const piece = text.take(frame);
      if (own && piece !== '') yield pieceResponse(own, piece, !isFirst);
      const paused = await this.#pause(turnId, frame, text);
      yield* paused;
      if (paused.length > 0) return;
    }
  }

  /** What ends a stream: the task is over, or waits for its caller. */
  async #pause(turnId: string, frame: StreamFrame, text: TurnText): Promise<StreamResponse[]> {
    const turn = turnIn(frame);
    if (frame.type === 'turn.settled' && turn?.id === turnId) {
      const { answer } = await this.#deps.readTurn(this.#caller.owner, turnId);
      const whole = !text.hasSpoken && answer?.text ? [pieceResponse(turn, answer.text, false)] : [];
      return [...whole, statusResponse(turn, null)];
    }
    const isAsked =
      frame.type === 'action.opened' && frame.action.kind === 'question' && frame.action.turnId === turnId;
    const waits = isAsked || (frame.type === 'turn.waiting' && turn?.id === turnId) || frame.type === 'turn.partial';
    if (!waits) return [];
    const now = await this.#turn(turnId);
    const question = await this.#question(now);
    return question ? [statusResponse(now, question)] : [];
  }
}

/** The first frame was read already. */
async function* joined(first: StreamFrame, rest: AsyncGenerator<StreamFrame>): AsyncGenerator<StreamFrame> {
  yield first;
  yield* rest;
}

/** What an agent here says is said by its turn alone. */
function assertRole(message: Message | undefined): void {
  if (message?.role === Role.ROLE_AGENT)
    throw new RequestMalformedError('The role of a message to an agent is ROLE_USER.');
}

function turnIn(frame: StreamFrame): Turn | undefined {
  return 'turn' in frame ? frame.turn : undefined;
}

/** Working and submitted tasks go on; every other state ends the wait of a caller. */
function isPause({ payload }: StreamResponse): boolean {
  return payload?.$case === 'statusUpdate';
}

function wordsOf({ parts }: Message): string {
  return parts
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n\n');
}

function textOf({ content, filename }: Message['parts'][number]): string {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return JSON.stringify(content.value, null, 2);
    case 'url':
      return `${filename} ${content.value}`.trim();
    case 'raw':
      throw new ContentTypeNotSupportedError('Files in a message are not supported. Send text, data or a URL.');
    default:
      return '';
  }
}

/** A message id of the caller's, in the shape that ids have here: the same id is the same message. */
function idOf(agentId: string, messageId: string): string {
  return `a2a-${createHash('sha256').update(`${agentId}\n${messageId}`).digest('hex').slice(0, 40)}`;
}

const MISSING = new Set(['turn_not_found', 'session_not_found', 'action_not_found']);

/** What is refused here, in the protocol's own errors. */
async function described<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (MISSING.has(error.code)) throw new TaskNotFoundError(error.message);
    throw new UnsupportedOperationError(error.message);
  }
}
