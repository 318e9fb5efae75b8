import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { perform, say } from './peer-script.ts';
import { PeerTask } from './peer-task.ts';
import { cardOf, type Version, WIRE, type Wire } from './peer-wire.ts';

interface Rpc {
  id: number;
  method: string;
  params: { id: string; message: { parts: { text?: string }[]; contextId?: string; taskId?: string } };
}

/** `drop`: the connection is closed without an answer. */
export type Refusal = 'drop' | { status: number; headers?: Record<string, string> };

/** A remote agent that speaks the wire protocol by hand, so that it can misbehave. What it does is in the message it is sent. */
export class A2aPeer {
  readonly #server: Server;
  readonly version: Version;
  readonly streams: boolean;
  readonly tasks = new Map<string, PeerTask>();
  /** Every message it was sent, in order. */
  readonly messages: {
    text: string;
    contextId: string;
    taskId: string;
    parts: string[];
    headers: IncomingMessage['headers'];
  }[] = [];
  readonly cancelled: string[] = [];
  readonly methods: string[] = [];
  description = 'A remote agent.';
  /** Where the card says that it is. */
  endpoint = '';
  /** What it says right after somebody has read the task. */
  readonly sayAfterReading: string[] = [];
  /** It forgets every conversation: it gives a new contextId whatever it is sent. */
  forgets = false;
  /** What it does instead of taking a request, by the name of the method; of the card, `card`. */
  refuse: (method: string) => Refusal | undefined = () => undefined;
  #count = 0;

  private constructor(server: Server, version: Version, streams: boolean) {
    this.#server = server;
    this.version = version;
    this.streams = streams;
  }

  static async start(version: Version = '1.0', { streams = true, port = 0 } = {}): Promise<A2aPeer> {
    const server = createServer();
    const peer = new A2aPeer(server, version, streams);
    server.on('request', (request, response) => void peer.#answer(request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return peer;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/agents/remote/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** As if the network had failed. */
  dropConnections(): void {
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', this.url).pathname;
    const isCard = path.endsWith('agent-card.json');
    const rpc: Rpc | null = isCard ? null : JSON.parse(Buffer.concat(await request.toArray()).toString());
    const refusal = this.refuse(rpc?.method ?? 'card');
    this.methods.push(rpc?.method ?? 'card');
    if (refusal === 'drop') return void response.destroy();
    if (refusal) return void response.writeHead(refusal.status, refusal.headers).end('<html>Not now.</html>');
    if (!rpc) return sendJson(response, cardOf(this));
    const wire = WIRE[this.version];
    const method = wire.methods[rpc.method];
    if (method === 'send' || method === 'stream')
      return this.#receive(rpc, request, response, wire, method === 'stream');
    const task = this.tasks.get(rpc.params.id);
    if (!task)
      return sendJson(response, { jsonrpc: '2.0', id: rpc.id, error: { code: -32001, message: 'Task not found' } });
    if (method === 'subscribe') return task.subscribe(response, rpc.id, wire, this.version === '1.0');
    if (method === 'cancel') {
      this.cancelled.push(task.id);
      task.setState('canceled');
    }
    sendJson(response, { jsonrpc: '2.0', id: rpc.id, result: wire.task(task) });
    const words = method === 'get' ? this.sayAfterReading.shift() : undefined;
    if (words !== undefined) say(task, words);
  }

  #receive(rpc: Rpc, request: IncomingMessage, response: ServerResponse, wire: Wire, streams: boolean): void {
    const { message } = rpc.params;
    const parts: string[] = message.parts.map(({ text = '' }) => text);
    const { contextId = '', taskId = '' } = message;
    this.messages.push({ text: parts.at(-1)!, contextId, taskId, parts, headers: request.headers });
    const known = this.tasks.get(taskId);
    const task = known ?? this.#newTask(this.forgets ? '' : contextId);
    if (streams) task.subscribe(response, rpc.id, wire, true);
    void perform(this, task, parts.at(-1)!, known !== undefined);
    if (!streams) sendJson(response, { jsonrpc: '2.0', id: rpc.id, result: wire.result(task) });
  }

  #newTask(contextId: string): PeerTask {
    return this.addTask(`task-${++this.#count}`, contextId || `context-${this.#count}`);
  }

  addTask(id: string, contextId = 'elsewhere'): PeerTask {
    const task = new PeerTask(id, contextId);
    this.tasks.set(id, task);
    return task;
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
}
