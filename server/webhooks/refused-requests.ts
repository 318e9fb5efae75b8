import { say } from '../../contract/texts.ts';
import type { IncomingWebhook } from '../../contract/webhooks.ts';
import type { Refusal } from './verify.ts';

/**
 * The newest refused request of each webhook, for the person who sets its sender up. In memory: strangers can make as
 * many as they like, and there is one entry for each webhook that exists.
 */
export class RefusedRequests {
  readonly #last = new Map<string, { at: number; refusal: Refusal; count: number }>();

  note(webhookId: string, refusal: Refusal): void {
    const count = (this.#last.get(webhookId)?.count ?? 0) + 1;
    this.#last.set(webhookId, { at: Date.now(), refusal, count });
  }

  forget(webhookId: string): void {
    this.#last.delete(webhookId);
  }

  of(webhookId: string): IncomingWebhook['lastRefused'] {
    const last = this.#last.get(webhookId);
    if (!last) return null;
    const reason = say(`webhook.refused_${last.refusal}`).message;
    return { at: new Date(last.at).toISOString(), reason, count: last.count };
  }
}
