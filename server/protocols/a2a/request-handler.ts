import type {
  AgentCard,
  Artifact,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageConfiguration,
  SendMessageRequest,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { StreamFrame } from '../../../contract/events.ts';
import { newId } from '../../../contract/ids.ts';
import type { Message as ParleyMessage } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';
import type { PushConfigRow } from '../../storage/tables.ts';
import type { Acceptance } from '../../turns/acceptance.ts';
import type { ProtocolDeps } from '../protocol.ts';
import { fileArtifacts, fileLinks } from './files.ts';
import { followTask, isPause, type Responses, turnIn } from './follow-task.ts';
import { assertRole, hasFiles, idOf, storeFiles, wordsOf } from './incoming.ts';
import { toQuery } from './listing.ts';
import { assertConfig, createConfig, deleteConfig, getConfig, listConfigs, type PushScope } from './push-configs.ts';
import { openQuestion, readTask } from './read-task.ts';
import { toRefusal } from './refusals.ts';

/** Who asks, for which agent. */
export interface Caller {
  readonly owner: string;
  readonly agentId: string;
  readonly requestId: string;
  /** How many servers the message has passed through. */
  readonly hops: number;
  readonly card: AgentCard;
  /** Of this server, as the caller reaches it. */
  readonly origin: string;
  /** Of the protocol that the caller speaks. */
  readonly version: PushConfigRow['version'];
}

/** The tasks of one agent are its turns, read and begun with the verbs that every other way in uses. */
export class TurnRequestHandler implements A2ARequestHandler {
  readonly #deps: ProtocolDeps;
  readonly #caller: Caller;
  /** Why the server could not do what it was asked. It is no answer of the protocol: the guard tells it, with its status. */
  failure: { readonly error: unknown } | null = null;

  constructor(deps: ProtocolDeps, caller: Caller) {
    this.#deps = deps;
    this.#caller = caller;
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#caller.card;
  }

  /** Every caller has shown a credential, so there is nothing more to say. */
  getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    return this.getAgentCard();
  }

  async sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    return this.#described(async () => {
      this.#assertSendable(message, configuration);
      const turnId = message?.taskId ? await this.#answer(message) : await this.#begin(message);
      await this.#pushAsWanted(turnId, configuration);
      if (configuration?.returnImmediately) return this.#read(turnId);
      for await (const response of this.#follow(turnId)) if (isPause(response)) break;
      return this.#read(turnId);
    });
  }

  async *sendMessageStream({ message, configuration }: SendMessageRequest): Responses {
    this.#assertSendable(message, configuration);
    if (message?.taskId) {
      const turnId = await this.#described(() => this.#answer(message));
      await this.#described(() => this.#pushAsWanted(turnId, configuration));
      return yield* this.#follow(turnId);
    }
    const frames = this.#deps.send(await this.#described(() => this.#acceptance(message)));
    const first = await this.#described(() => frames.next());
    if (first.done) return;
    const turn = turnIn(first.value);
    if (!turn) return;
    await this.#described(() => this.#pushAsWanted(turn.id, configuration));
    yield* this.#tell(turn.id, joined(first.value, frames));
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): Responses {
    await this.#described(() => this.#turn(id));
    yield* this.#follow(id);
  }

  async getTask({ id }: GetTaskRequest): Promise<Task> {
    return this.#described(() => this.#read(id));
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return this.#described(async () => {
      if ((await this.#turn(id)).endedAt !== null) throw new TaskNotCancelableError();
      await this.#deps.cancelTurn(this.#caller.owner, id);
      return this.#read(id);
    });
  }

  /** The newest first, of one context or of all of them. */
  async listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    return this.#described(async () => {
      const { owner, agentId } = this.#caller;
      const query = toQuery(agentId, request);
      const { turns, next, total } = await this.#deps.listTurnsOfAgent(owner, query);
      const filesOf = (answer: ParleyMessage | null) => fileLinks(this.#files, answer);
      const tasks = await Promise.all(turns.map(({ id }) => readTask(this.#deps, owner, id, filesOf)));
      const shown = request.includeArtifacts ? tasks : tasks.map((task) => ({ ...task, artifacts: [] }));
      return { tasks: shown, nextPageToken: next ?? '', pageSize: query.limit, totalSize: total };
    });
  }

  createTaskPushNotificationConfig(config: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.#described(async () => createConfig(this.#pushes, await this.#turn(config.taskId), config));
  }

  getTaskPushNotificationConfig(wanted: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return this.#described(async () => getConfig(this.#pushes, (await this.#turn(wanted.taskId)).id, wanted.id));
  }

  listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.#described(async () => listConfigs(this.#pushes, (await this.#turn(taskId)).id));
  }

  deleteTaskPushNotificationConfig({ taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return this.#described(async () => deleteConfig(this.#pushes, (await this.#turn(taskId)).id, id));
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
    if (content === '' && !hasFiles(message)) throw new RequestMalformedError('The message is empty.');
    const session = message.contextId === '' ? null : await this.#deps.sessions.get(owner, message.contextId);
    if (session && session.agentId !== agentId)
      throw new RequestMalformedError('The context belongs to another agent.');
    const messageId = message.messageId === '' ? undefined : idOf(agentId, message.messageId);
    const files = await storeFiles(this.#deps, owner, message);
    const common = { owner, content, files, messageId, hops, busy: 'queue' as const };
    if (session) return { ...common, sessionId: session.id };
    return { ...common, sessionId: this.#contextFor(message), create: { agentId } };
  }

  /** The same message, sent again without the context that it began, begins the same one. */
  #contextFor({ messageId }: Message): string {
    const { owner, agentId } = this.#caller;
    return messageId === '' ? newId() : idOf(`context of ${owner}`, `${agentId}\n${messageId}`);
  }

  /** The caller's message is the answer to what the agent has asked; approvals are for the owner alone. */
  async #answer(message: Message): Promise<string> {
    const turn = await this.#turn(message.taskId);
    if (hasFiles(message)) throw new ContentTypeNotSupportedError('The answer to a question cannot hold files.');
    const question = await openQuestion(this.#deps, this.#caller.owner, turn);
    if (!question) throw new UnsupportedOperationError('The task does not wait for an answer.');
    const answer = { decision: 'answer' as const, text: wordsOf(message) };
    await this.#deps.answerAction(this.#caller.owner, question.id, answer, this.#caller.requestId);
    return turn.id;
  }

  #assertSendable(message: Message | undefined, configuration: SendMessageConfiguration | undefined): void {
    assertRole(message);
    const config = configuration?.taskPushNotificationConfig;
    if (config) assertConfig(this.#pushes, config);
  }

  async #pushAsWanted(turnId: string, configuration: SendMessageConfiguration | undefined): Promise<void> {
    const config = configuration?.taskPushNotificationConfig;
    if (config) await createConfig(this.#pushes, await this.#turn(turnId), config);
  }

  async #read(turnId: string): Promise<Task> {
    await this.#turn(turnId);
    return readTask(this.#deps, this.#caller.owner, turnId, (answer) => this.#filesOf(answer));
  }

  #filesOf(answer: ParleyMessage | null): Promise<Artifact[]> {
    return fileArtifacts(this.#files, answer);
  }

  get #files() {
    return { deps: this.#deps, owner: this.#caller.owner, origin: this.#caller.origin };
  }

  get #pushes(): PushScope {
    return { pushes: this.#deps.pushes, owner: this.#caller.owner, version: this.#caller.version };
  }

  /** Of this agent and this caller; any other is not found. */
  async #turn(turnId: string): Promise<Turn> {
    if (!turnId) throw new TaskNotFoundError();
    const { turn } = await this.#deps.readTurn(this.#caller.owner, turnId);
    if (turn.agentId !== this.#caller.agentId) throw new TaskNotFoundError();
    return turn;
  }

  /** What is refused here, in the protocol's own errors. */
  async #described<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const refusal = toRefusal(error);
      if (!refusal) this.failure = { error };
      throw refusal ?? error;
    }
  }

  #follow(turnId: string): Responses {
    return this.#tell(turnId, this.#deps.follow(this.#caller.owner, turnId));
  }

  #tell(turnId: string, frames: AsyncIterable<StreamFrame>): Responses {
    const { owner } = this.#caller;
    return followTask({ deps: this.#deps, owner, filesOf: (answer) => this.#filesOf(answer) }, turnId, frames);
  }
}

/** The first frame was read already. */
async function* joined(first: StreamFrame, rest: AsyncGenerator<StreamFrame>): AsyncGenerator<StreamFrame> {
  yield first;
  yield* rest;
}
