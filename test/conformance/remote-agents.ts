import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonicalJson } from '../../server/tools/canonical-json.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { cardOf } from '../harness/a2a/peer-wire.ts';

/** Agents on another server: `far` speaks A2A, `ext` calls back. They go on when Parley does not. */
export class RemoteAgents {
  readonly #peer: A2aPeer;
  readonly #receiver: Server;

  private constructor(peer: A2aPeer, receiver: Server) {
    this.#peer = peer;
    this.#receiver = receiver;
  }

  static async start(): Promise<RemoteAgents> {
    const receiver = createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
      response.writeHead(202).end();
      if (body.event === 'message') await answer(body);
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    return new RemoteAgents(await A2aPeer.start(), receiver);
  }

  get definitions(): object[] {
    const cardHash = createHash('sha256')
      .update(canonicalJson(cardOf(this.#peer)))
      .digest('hex');
    return [
      { agentId: 'far', type: 'a2a', a2a: { url: this.#peer.url, cardHash } },
      { agentId: 'ext', type: 'external', external: { inputUrl: `http://${this.#host}/`, secret: 'shared' } },
    ];
  }

  get hosts(): string[] {
    return [this.#peer.host, this.#host];
  }

  async close(): Promise<void> {
    this.#receiver.closeAllConnections();
    this.#receiver.close();
    await this.#peer.close();
  }

  get #host(): string {
    return `127.0.0.1:${(this.#receiver.address() as AddressInfo).port}`;
  }
}

interface Input {
  text: string;
  callback: { url: string; token: string };
}

/** The message says how the answer ends. The turn may not be ready for it yet: then it is sent again. */
async function answer({ text, callback }: Input): Promise<void> {
  const ending = { speaks: { end: true }, hangs: {}, fails: { error: 'It did not work.' } }[text] ?? {};
  for (let attempt = 0; attempt < 50; attempt++) {
    const { status } = await fetch(callback.url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${callback.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'Hello.', offset: 0, ...ending }),
    });
    if (status !== 503) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
