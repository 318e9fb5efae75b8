import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Artifact, Message, Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';

/** An agent on the official A2A server, with one binding in one version: `JSONRPC 1.0`. */
export class OfficialServer {
  readonly #server: Server;
  readonly executor: Executor;

  private constructor(server: Server, executor: Executor) {
    this.#server = server;
    this.executor = executor;
  }

  static async start(way: string): Promise<OfficialServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const executor = new Executor();
    const official = new OfficialServer(server, executor);
    server.on('request', await official.#app(way));
    return official;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #app(way: string): Promise<RequestListener> {
    const [protocolBinding = '', protocolVersion = ''] = way.split(' ');
    const card = cardOf({ url: this.url, protocolBinding, protocolVersion, tenant: '' });
    const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), this.executor);
    const legacyCompat = { enabled: protocolVersion === '0.3' };
    const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
    // It has no types of its own.
    const { default: express } = (await import('express' as string)) as { default: () => ExpressApp };
    const app = express();
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
    app.use(protocolBinding === 'JSONRPC' ? jsonRpcHandler(options) : restHandler(options));
    return app;
  }
}

type ExpressApp = RequestListener & { use(...handlers: unknown[]): void };

function cardOf(at: { url: string; protocolBinding: string; protocolVersion: string; tenant: string }) {
  return {
    name: 'Official',
    description: 'On the official server.',
    version: '1',
    supportedInterfaces: [at],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain', 'image/*', 'application/json', 'application/pdf'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
}

/** Says back what it is told; `auth WORDS` and `ask WORDS` ask first, `file WORDS` gives a file, `delegate AGENT TASK` asks another agent. */
class Executor implements AgentExecutor {
  /** Every message it was sent. */
  readonly messages: Message[] = [];
  readonly cancelled: string[] = [];
  readonly #held = new Map<string, PromiseWithResolvers<void>>();

  async execute({ task, taskId, contextId, userMessage }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    this.messages.push(userMessage);
    const words = userMessage.parts.map(textIn).filter(Boolean).at(-1) ?? '';
    const own = { taskId, contextId };
    bus.publish(AgentEvent.task(task ?? newTask(taskId, contextId, userMessage)));
    const [command, ...rest] = words.split(' ');
    const said = rest.join(' ');
    if (task) this.#complete(bus, own, artifact('answer', `Answered: ${words}`));
    else if (command === 'auth') setState(bus, own, TaskState.TASK_STATE_AUTH_REQUIRED, said);
    else if (command === 'ask') setState(bus, own, TaskState.TASK_STATE_INPUT_REQUIRED, said);
    else if (command === 'hang') await this.#hang(bus, own);
    else if (command === 'delegate') this.#complete(bus, own, artifact('answer', toTag(rest)));
    else if (command === 'end') setState(bus, own, Number(said), 'No more.');
    else this.#complete(bus, own, command === 'file' ? file(said) : artifact('answer', words));
    bus.finished();
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.cancelled.push(taskId);
    const contextId = this.messages.find((message) => message.taskId === taskId)?.contextId ?? '';
    setState(bus, { taskId, contextId }, TaskState.TASK_STATE_CANCELED, '');
    this.#held.get(taskId)?.resolve();
  }

  #complete(bus: ExecutionEventBus, own: Own, given: Artifact): void {
    setState(bus, own, TaskState.TASK_STATE_WORKING, 'On it.');
    bus.publish(
      AgentEvent.artifactUpdate({ ...own, artifact: given, append: false, lastChunk: true, metadata: undefined }),
    );
    setState(bus, own, TaskState.TASK_STATE_COMPLETED, '');
  }

  /** Until it is cancelled. */
  async #hang(bus: ExecutionEventBus, own: Own): Promise<void> {
    const held = Promise.withResolvers<void>();
    this.#held.set(own.taskId, held);
    setState(bus, own, TaskState.TASK_STATE_WORKING, 'On it.');
    await held.promise;
  }
}

function toTag([agentId, ...task]: string[]): string {
  return `<delegate to="${agentId}">${task.join(' ')}</delegate>`;
}

interface Own {
  taskId: string;
  contextId: string;
}

let count = 0;

function setState(bus: ExecutionEventBus, own: Own, state: TaskState, words: string): void {
  const said = { messageId: `official-${++count}`, role: 'ROLE_AGENT', parts: [{ text: words }], ...own };
  const message = words === '' ? undefined : Message.fromJSON(said);
  const status: TaskStatus = { state, message, timestamp: undefined };
  bus.publish(AgentEvent.statusUpdate({ ...own, status, metadata: undefined }));
}

function newTask(id: string, contextId: string, message: Message): Task {
  const task = Task.fromJSON({ id, contextId, status: { state: 'TASK_STATE_SUBMITTED' } });
  return { ...task, history: [message] };
}

type Part = Message['parts'][number];

function artifact(artifactId: string, value: string): Artifact {
  return withPart(artifactId, { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });
}

function file(words: string): Artifact {
  const content = { $case: 'raw' as const, value: Buffer.from(words) };
  return withPart('file', { content, metadata: undefined, filename: 'note.txt', mediaType: 'text/plain' });
}

function withPart(artifactId: string, part: Part): Artifact {
  return { artifactId, name: '', description: '', parts: [part], metadata: undefined, extensions: [] };
}

function textIn({ content }: Part): string {
  return content?.$case === 'text' ? content.value : '';
}
