import type { WebhookSettings } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { OutgoingWebhookRow, WebhookDeliveryRow } from '../storage/tables.ts';
import { type CallOutcome, call } from './call.ts';
import {
  bringForward,
  deleteOldDeliveries,
  earliestDelivery,
  findDelivery,
  readOutgoing,
  saveDelivery,
  saveOutgoing,
  selectDueDeliveries,
} from './outgoing-store.ts';
import type { WebhookRecorder } from './recorder.ts';
import { secretsInForce, signatureOf } from './secrets.ts';

/** The clock may be set, and a timer may not wait for longer than some weeks: the time is looked at this often. */
const LOOK_EVERY_MS = 60_000;
/** After a failure of the database. */
const FAILURE_MS = 5000;
/** Webhooks that are called at the same time. */
const MOST_AT_ONCE = 8;
const PAGE = 20;
/** After so long another webhook has its turn. */
const SHARE_MS = 1000;
const KEPT_DELIVERIES = 500;
/** A receiver may ask for this much patience. */
const MOST_RETRY_AFTER_MS = 3600_000;
const GONE = 410;

export interface SenderDeps {
  readonly log: EventLog;
  readonly recorder: WebhookRecorder;
  settings(): WebhookSettings;
  allowedHosts(): readonly string[];
  /** Tells the owner's open pages. */
  changed(owner: string): void;
  report(problem: string, error: unknown): void;
}

/**
 * Sends what is stored, one request at a time for each webhook, in the order of what happened:
 *
 *     pending -> [called] -> delivered, or pending until the next attempt, or failed after the last one
 *
 * What fails steps aside until its next attempt, so that it does not hold up what came later. What was sent when the
 * server was killed is sent again under the same id.
 */
export class WebhookSender {
  readonly #deps: SenderDeps;
  readonly #stopped = new AbortController();
  readonly #busy = new Set<string>();
  /** Deliveries on their way, so that a test is not sent twice. */
  readonly #sending = new Set<string>();
  /** When each webhook had its last turn. */
  readonly #turns = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #lookAt = 0;
  #looking: Promise<void> | undefined;
  #isStarted = false;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#stopped.abort(new AppError('shutting_down', say('shutting_down')));
    await this.#looking;
  }

  /** There may be something to send. */
  wake(): void {
    this.#lookIn(0);
  }

  /** Sends one delivery now, whatever else waits. */
  async sendNow(webhookId: string, deliveryId: string): Promise<void> {
    const webhook = await readOutgoing(this.#deps.log.db, webhookId);
    const delivery = await findDelivery(this.#deps.log.db, webhookId, deliveryId);
    if (webhook && delivery) await this.#send(webhook, delivery);
  }

  #lookIn(ms: number): void {
    const at = performance.now() + ms;
    if (!this.#isStarted || (this.#timer && this.#lookAt <= at)) return;
    clearTimeout(this.#timer);
    this.#lookAt = at;
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    this.#timer = undefined;
    // What is due by now may be something that has been passed already.
    if (this.#looking) return void this.#looking.then(() => this.#lookIn(0));
    this.#looking = this.#beginAll()
      .then((wait) => this.#lookIn(wait))
      .catch((error) => {
        this.#deps.report('webhooks could not be looked at', error);
        this.#lookIn(LOOK_EVERY_MS);
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** How long until something is due. */
  async #beginAll(): Promise<number> {
    const { recorder, log } = this.#deps;
    let wait = LOOK_EVERY_MS;
    for (const id of this.#inTurn(recorder.active)) {
      if (this.#busy.has(id)) continue;
      const next = await earliestDelivery(log.db, id);
      if (next === null) continue;
      const left = Math.max(0, next - Date.now());
      if (left > 0) wait = Math.min(wait, left);
      else if (this.#busy.size < MOST_AT_ONCE) this.#begin(id);
    }
    return wait;
  }

  /** Those that have waited longest first, so that receivers that are slow do not hold up the others. */
  #inTurn(webhooks: readonly OutgoingWebhookRow[]): string[] {
    const last = (id: string) => this.#turns.get(id) ?? 0;
    return webhooks.map(({ id }) => id).sort((one, other) => last(one) - last(other));
  }

  #begin(webhookId: string): void {
    this.#busy.add(webhookId);
    this.#turns.set(webhookId, performance.now());
    void this.#sendDue(webhookId)
      .then(() => 0)
      .catch((error) => {
        if (!this.#stopped.signal.aborted) this.#deps.report('a webhook could not be sent', error);
        return FAILURE_MS;
      })
      .then((wait) => {
        this.#busy.delete(webhookId);
        this.#lookIn(wait);
      });
  }

  async #sendDue(webhookId: string): Promise<void> {
    const { log, settings } = this.#deps;
    const longest = Math.max(MOST_RETRY_AFTER_MS, ...settings().retryAfterSeconds.map((seconds) => seconds * 1000));
    const now = Date.now();
    const began = performance.now();
    await log.write(({ db }) => bringForward(db, webhookId, now, now + longest));
    for (;;) {
      const due = await selectDueDeliveries(log.db, webhookId, Date.now(), PAGE);
      for (const { id } of due) {
        if (performance.now() - began > SHARE_MS) return;
        // Paused, disabled, changed, withdrawn or deleted meanwhile.
        const webhook = await readOutgoing(log.db, webhookId);
        const delivery = await findDelivery(log.db, webhookId, id);
        if (!webhook || webhook.paused_at !== null || webhook.disabled_at !== null) return;
        if (delivery && delivery.next_at !== null) await this.#send(webhook, delivery);
      }
      if (due.length < PAGE) return;
    }
  }

  async #send(webhook: OutgoingWebhookRow, delivery: WebhookDeliveryRow): Promise<void> {
    const { log, recorder } = this.#deps;
    if (delivery.body === null || this.#sending.has(delivery.id)) return;
    this.#sending.add(delivery.id);
    try {
      const outcome = await this.#call(webhook, delivery, delivery.body);
      reach('webhook.sent');
      const changed = await log.write((tx) => this.#settle(tx, delivery, outcome));
      if (changed) recorder.note(changed);
    } finally {
      this.#sending.delete(delivery.id);
    }
  }

  #call(webhook: OutgoingWebhookRow, { id }: WebhookDeliveryRow, body: string): Promise<CallOutcome> {
    const { settings, allowedHosts } = this.#deps;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const secrets = secretsInForce(webhook, Date.now());
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Parley-Webhooks',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf(secrets, { id, timestamp, body: Buffer.from(body) }),
    };
    const bounds = { timeoutMs: settings().timeoutMs, stopped: this.#stopped.signal };
    return call({ url: webhook.url, headers, body, allowHosts: allowedHosts(), ...bounds });
  }

  /** Returns the webhook as it is from now on; null when it is gone. */
  async #settle(tx: Tx, before: WebhookDeliveryRow, outcome: CallOutcome): Promise<OutgoingWebhookRow | null> {
    // Read again: it may have been withdrawn, and the webhook changed, while the request was on its way.
    const delivery = await findDelivery(tx.db, before.webhook_id, before.id);
    const webhook = await readOutgoing(tx.db, before.webhook_id);
    if (!delivery || !webhook) return null;
    const now = Date.now();
    const settled = afterAttempt(delivery, outcome, this.#deps.settings(), now);
    await saveDelivery(tx.db, settled);
    tx.afterwards.push(() => this.#deps.changed(webhook.owner));
    if (settled.next_at === null) await deleteOldDeliveries(tx.db, webhook.id, KEPT_DELIVERIES);
    if (delivery.event === 'webhook.test' && outcome.error !== null) return webhook;
    const judged = judge(webhook, outcome, this.#deps.settings(), now);
    await saveOutgoing(tx.db, judged);
    return judged;
  }
}

/** A test is sent once; everything else again, until an attempt succeeds or there is none left. */
function afterAttempt(
  before: WebhookDeliveryRow,
  { status, response, error, durationMs, retryAfterMs }: CallOutcome,
  { retryAfterSeconds }: WebhookSettings,
  now: number,
): WebhookDeliveryRow {
  const attempts = before.attempts + 1;
  const wait = before.event === 'webhook.test' || status === GONE ? undefined : retryAfterSeconds[attempts - 1];
  const patience = Math.min(retryAfterMs ?? 0, MOST_RETRY_AFTER_MS);
  const next = error === null || wait === undefined ? null : now + Math.max(wait * 1000, patience);
  const state = error === null ? 'delivered' : next === null ? 'failed' : 'pending';
  const ended = next === null ? now : null;
  const answer = { status, response, error, duration_ms: durationMs };
  return { ...before, ...answer, attempts, state, next_at: next, attempted_at: now, ended_at: ended };
}

/** A webhook whose receiver is gone, or has failed for too long, is disabled and says why. */
function judge(
  webhook: OutgoingWebhookRow,
  { status, error }: CallOutcome,
  { disableAfterHours }: WebhookSettings,
  now: number,
): OutgoingWebhookRow {
  if (error === null) return { ...webhook, failing_since: null };
  const failing_since = Math.min(webhook.failing_since ?? now, now);
  if (status === GONE) return disabled({ ...webhook, failing_since }, say('webhook.gone').message, now);
  if (now - failing_since < disableAfterHours * 3600_000) return { ...webhook, failing_since };
  const because = say('webhook.failed_long', { hours: disableAfterHours, reason: error }).message;
  return disabled({ ...webhook, failing_since }, because, now);
}

function disabled(webhook: OutgoingWebhookRow, because: string, now: number): OutgoingWebhookRow {
  if (webhook.disabled_at !== null) return webhook;
  return { ...webhook, disabled_at: now, disabled_because: because, updated_at: now };
}
