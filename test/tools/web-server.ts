import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answering = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => unknown;

/** A real server on this machine that answers as a test says, and remembers what it was asked. */
export class WebServer {
  readonly #server: http.Server;
  readonly requests: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
  /** Answers that ended before they were complete. */
  cut = 0;
  answer: Answering = (_request, response) => response.end('hello');

  private constructor() {
    this.#server = http.createServer((request, response) => void this.#take(request, response));
  }

  static async start(answer?: Answering): Promise<WebServer> {
    const server = new WebServer();
    if (answer) server.answer = answer;
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    this.requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    response.on('close', () => {
      if (!response.writableFinished) this.cut += 1;
    });
    this.answer(request, response, body);
  }
}
