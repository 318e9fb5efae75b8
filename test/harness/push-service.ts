import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import ece from 'http_ece';
import type { PushMessage, SubscribeToPush } from '../../contract/push.ts';

/** A push service and the browser behind it, which alone can read what arrives. */
export class PushService {
  readonly received: { message: PushMessage; headers: IncomingHttpHeaders }[] = [];
  /** Answers with these, the last one for good. */
  statuses: number[] = [201];
  readonly #server: Server;
  readonly #browser = createECDH('prime256v1');
  readonly #auth = randomBytes(16);

  private constructor() {
    this.#browser.generateKeys();
    this.#server = createServer(async (request, response) => {
      const body = await buffer(request);
      const status = this.statuses.length > 1 ? this.statuses.shift()! : this.statuses[0]!;
      if (status < 300) this.received.push({ message: this.#open(body), headers: request.headers });
      response.writeHead(status).end();
    });
  }

  static async start(): Promise<PushService> {
    const service = new PushService();
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  subscription(name = 'Phone', path = 'device-1'): SubscribeToPush {
    const keys = { p256dh: this.#browser.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
    return { endpoint: `http://${this.host}/${path}`, keys, name, language: 'de' };
  }

  #open(body: Buffer): PushMessage {
    const key = { version: 'aes128gcm', privateKey: this.#browser, authSecret: this.#auth.toString('base64url') };
    return JSON.parse(ece.decrypt(body, key).toString('utf8')) as PushMessage;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
