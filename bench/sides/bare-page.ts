import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = `<!doctype html><meta charset="utf-8"><title>Bare</title><body><main></main><textarea></textarea><script>
fetch('/messages').then((answer) => answer.json()).then((messages) => {
  for (const { text } of messages) {
    const line = document.createElement('p');
    line.textContent = text;
    document.querySelector('main').append(line);
  }
  document.querySelector('textarea').focus();
});
</script>`;

/** The least that can show a conversation: one file without a framework, which reads the messages and shows them as plain text. */
export class BarePage {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(messages: readonly { text: string }[]): Promise<BarePage> {
    const body = JSON.stringify(messages);
    const server = createServer((request, response) => {
      const isData = request.url === '/messages';
      response.setHeader('Content-Type', isData ? 'application/json' : 'text/html; charset=utf-8');
      response.end(isData ? body : PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new BarePage(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
