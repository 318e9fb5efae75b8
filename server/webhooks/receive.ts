import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import type { Receipt } from '../../contract/turns.ts';
import type { WebhookTaken } from '../../contract/webhooks.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { IncomingWebhookRow, TurnRow, WebhookCallRow } from '../storage/tables.ts';
import type { Acceptance } from '../turns/acceptance.ts';
import { deleteOldCalls, findTaken, insertCall, readIncoming, saveIncoming } from './incoming-store.ts';
import type { RefusedRequests } from './refused-requests.ts';
import { type RenderLimits, renderMessage } from './render.ts';
import { newSecret, secretsInForce } from './secrets.ts';
import { type Claim, isSigned, readClaim } from './verify.ts';

/** So many requests are remembered, each with its id, so that a copy of one does nothing. */
const KEPT_CALLS = 5000;
const MINUTE_MS = 60_000;

export interface ReceiverDeps {
  readonly log: EventLog;
  readonly refused: RefusedRequests;
  limits(): RenderLimits & { webhookCallsPerMinute: number };
  accept(wanted: Acceptance): Promise<Receipt>;
  /** Tells the owner's open pages. */
  changed(owner: string): void;
}

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Turns signed requests into messages. A stranger hears the same of an address that is there and of one that is not. */
export class WebhookReceiver {
  readonly #deps: ReceiverDeps;
  /** For addresses that are not there: a request to them takes as long as one with a wrong signature. */
  readonly #nobodys = newSecret();
  readonly #minutes = new Map<string, { until: number; count: number }>();

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
  }

  async receive(webhookId: string, request: ReceivedRequest): Promise<WebhookTaken> {
    const { log } = this.#deps;
    const row = await readIncoming(log.db, webhookId);
    const claim = this.#verify(webhookId, row, request);
    if (!row || !claim) throw new AppError('webhook_refused', say('webhook_refused'));
    const taken = await findTaken(log.db, row.id, claim.callerId);
    if (taken) return { id: taken.id, duplicate: true };
    if (row.paused_at !== null || row.disabled_at !== null) throw new AppError('webhook_paused', say('webhook_paused'));
    this.#assertRate(row.id);
    return this.#accept(row, claim, request);
  }

  #verify(webhookId: string, row: IncomingWebhookRow | undefined, { headers, body }: ReceivedRequest): Claim | null {
    const now = Date.now();
    const claim = readClaim(headers, now);
    const refuse = (refusal: Parameters<RefusedRequests['note']>[1]) => {
      if (row) this.#deps.refused.note(webhookId, refusal);
      if (row) this.#deps.changed(row.owner);
      return null;
    };
    if (typeof claim === 'string') return refuse(claim);
    const signed = isSigned(row ? secretsInForce(row, now) : [this.#nobodys], claim, body);
    if (row && row.signature !== claim.signature) return refuse('kind');
    return signed ? claim : refuse('signature');
  }

  async #accept(row: IncomingWebhookRow, claim: Claim, request: ReceivedRequest): Promise<WebhookTaken> {
    const call = newCall(row, claim, request.body.byteLength);
    try {
      const body = request.body.toString('utf8');
      const content = renderMessage(row.template, { body, headers: request.headers }, this.#deps.limits());
      const { duplicate } = await this.#deps.accept(this.#toMessage(row, call, content));
      reach('webhook.accepted');
      if (!duplicate) return { id: call.id, duplicate };
      return { id: (await findTaken(this.#deps.log.db, row.id, claim.callerId))?.id ?? call.id, duplicate };
    } catch (error) {
      return this.#afterFailure(row, call, error);
    }
  }

  /** What may work a little later leaves no trace, so that the sender can try again under the same id. */
  async #afterFailure(row: IncomingWebhookRow, call: WebhookCallRow, error: unknown): Promise<WebhookTaken> {
    const { log } = this.#deps;
    // The same request, taken at the same time.
    const taken = await findTaken(log.db, row.id, call.caller_id);
    if (taken) return { id: taken.id, duplicate: true };
    if (!(error instanceof AppError) || PASSING.has(error.code)) throw error;
    const failed: WebhookCallRow = { ...call, state: 'failed', session_id: null, error: error.message };
    await log.write(async (tx) => {
      await this.#keep(tx, row, failed);
      if (FINAL.has(error.code)) await disable(tx, row, error.message);
    });
    throw error;
  }

  /** The call is stored in the transaction that accepts its message: a request is taken as a whole or not at all. */
  #toMessage(row: IncomingWebhookRow, call: WebhookCallRow, content: string): Acceptance {
    const { id: webhookId, owner, session_id, agent_id, name, folder, mode } = row;
    const alsoWrite = (tx: Tx, turn: TurnRow) =>
      this.#keep(tx, row, { ...call, session_id: turn.session_id, turn_id: turn.id });
    const message = {
      owner,
      content,
      messageId: messageIdOf(row, call),
      busy: 'queue' as const,
      webhook: { webhookId, name, alsoWrite },
    };
    if (session_id !== null)
      return { ...message, sessionId: session_id, ...(agent_id !== null && { otherwise: agent_id }) };
    const create = { agentId: agent_id!, title: name, mode, ...(folder !== null && { folder }) };
    return { ...message, sessionId: newId(), create };
  }

  async #keep(tx: Tx, { owner }: IncomingWebhookRow, call: WebhookCallRow): Promise<void> {
    await insertCall(tx.db, call);
    await deleteOldCalls(tx.db, call.webhook_id, KEPT_CALLS);
    tx.afterwards.push(() => this.#deps.changed(owner));
  }

  #assertRate(webhookId: string): void {
    const now = Date.now();
    const limit = this.#deps.limits().webhookCallsPerMinute;
    const known = this.#minutes.get(webhookId);
    const minute =
      known && known.until > now && known.until <= now + MINUTE_MS ? known : { until: now + MINUTE_MS, count: 0 };
    this.#minutes.set(webhookId, minute);
    minute.count += 1;
    if (minute.count <= limit) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((minute.until - now) / 1000));
    const words = say('too_many_webhook_calls', { limit, seconds: retryAfterSeconds });
    throw new AppError('too_many_webhook_calls', words, { retryAfterSeconds });
  }
}

const PASSING: ReadonlySet<string> = new Set([
  'queue_full',
  'overloaded',
  'shutting_down',
  'storage_full',
  'storage_unavailable',
  'storage_unconfirmed',
]);
const FINAL: ReadonlySet<string> = new Set(['session_not_found']);

/** The same for every copy of a request: it can be made into a message once. */
function messageIdOf({ id }: IncomingWebhookRow, { caller_id }: WebhookCallRow): string {
  return `hook-${hash('sha256', `${id} ${caller_id}`, 'base64url')}`;
}

async function disable(tx: Tx, row: IncomingWebhookRow, because: string): Promise<void> {
  const now = Date.now();
  const current = await readIncoming(tx.db, row.id);
  if (current?.disabled_at !== null) return;
  await saveIncoming(tx.db, { ...current, disabled_at: now, disabled_because: because, updated_at: now });
}

function newCall({ id }: IncomingWebhookRow, { callerId }: Claim, bytes: number): WebhookCallRow {
  return {
    id: newId(),
    webhook_id: id,
    caller_id: callerId,
    state: 'accepted',
    session_id: null,
    turn_id: null,
    error: null,
    bytes,
    created_at: Date.now(),
  };
}
