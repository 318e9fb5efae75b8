import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WebhookPayload } from '../../contract/webhooks.ts';

export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly payload: WebhookPayload;
}

type Reply = number | { status: number; headers?: Record<string, string>; body?: string };

/** A program that takes webhooks and checks nothing by itself. */
export class WebhookTarget {
  readonly received: ReceivedCall[] = [];
  /** Answers with these, the last one for good. */
  replies: Reply[] = [204];
  /** Awaited before each answer. */
  patience: Promise<unknown> | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const raw = (await buffer(request)).toString('utf8');
      this.received.push({ headers: request.headers, raw, payload: JSON.parse(raw) as WebhookPayload });
      await this.patience;
      const reply = this.replies.length > 1 ? this.replies.shift()! : this.replies[0]!;
      const { status, headers = {}, body = '' } = typeof reply === 'number' ? { status: reply } : reply;
      response.writeHead(status, headers).end(status === 204 ? undefined : body);
    });
  }

  static async start(): Promise<WebhookTarget> {
    const target = new WebhookTarget();
    target.#server.listen(0, '127.0.0.1');
    await once(target.#server, 'listening');
    return target;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/hook`;
  }

  reset(): void {
    this.received.length = 0;
    this.replies = [204];
    this.patience = undefined;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** As the specification of Standard Webhooks says, worked out without the product's own code. */
export function standardSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
}

export function signedHeaders(secret: string, body: string, id: string, at = Date.now()): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = standardSignature(secret, id, timestamp, body);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

export function githubHeaders(secret: string, body: string, event = 'push'): Record<string, string> {
  const mac = createHmac('sha256', secret).update(body, 'utf8').digest('hex');
  return { 'x-hub-signature-256': `sha256=${mac}`, 'x-github-event': event, 'x-github-delivery': 'any' };
}
