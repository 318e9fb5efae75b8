import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import type {
  CreatedOutgoingWebhook,
  CreateOutgoingWebhook,
  OutgoingWebhook,
  PatchOutgoingWebhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEvent,
} from '../../contract/webhooks.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { toTime } from '../sessions/views.ts';
import type { Db, OutgoingWebhookRow, WebhookDeliveryRow } from '../storage/tables.ts';
import { FetchFailure } from '../tools/guarded-fetch-failure.ts';
import { assertFetchable } from '../tools/guarded-fetch-hop.ts';
import {
  countOutgoing,
  countPending,
  deleteOutgoing,
  findDelivery,
  findOutgoing,
  insertDelivery,
  insertOutgoing,
  isOutgoingNameTaken,
  nextTestSequence,
  saveDelivery,
  saveOutgoing,
  selectDeliveries,
  selectOutgoing,
} from './outgoing-store.ts';
import { listed, newDelivery, type WebhookRecorder } from './recorder.ts';
import { newSecret, renewed } from './secrets.ts';
import type { WebhookSender } from './sender.ts';

export interface OutgoingDeps {
  readonly log: EventLog;
  readonly recorder: WebhookRecorder;
  readonly sender: WebhookSender;
  /** How many an owner may have, of those that go out and of those that come in. */
  limit(): number;
  allowedHosts(): readonly string[];
  /** Tells the owner's open pages. */
  changed(owner: string): void;
}

/** Addresses that are called when something happens. */
export class OutgoingWebhooks {
  readonly #deps: OutgoingDeps;

  constructor(deps: OutgoingDeps) {
    this.#deps = deps;
  }

  async list(owner: string): Promise<OutgoingWebhook[]> {
    const { db } = this.#deps.log;
    return Promise.all((await selectOutgoing(db, owner)).map((row) => view(db, row)));
  }

  async get(owner: string, id: string): Promise<OutgoingWebhook> {
    const { db } = this.#deps.log;
    return view(db, await load(db, owner, id));
  }

  async create(owner: string, wanted: CreateOutgoingWebhook): Promise<CreatedOutgoingWebhook> {
    this.#assertUrl(wanted.url);
    const row = newRow(owner, wanted);
    await this.#write(row.id, async (tx) => {
      await this.#assertRoom(tx, owner);
      await assertNameFree(tx, owner, wanted.name);
      if (wanted.sessionId !== null) await loadSession(tx.db, owner, wanted.sessionId);
      await insertOutgoing(tx.db, row);
      return row;
    });
    return { webhook: await view(this.#deps.log.db, row), secret: row.secret };
  }

  async patch(owner: string, id: string, patch: PatchOutgoingWebhook): Promise<OutgoingWebhook> {
    if (patch.url !== undefined) this.#assertUrl(patch.url);
    return this.#change(owner, id, async (row, tx) => {
      if (patch.name !== undefined && patch.name !== row.name) await assertNameFree(tx, owner, patch.name);
      if (patch.sessionId) await loadSession(tx.db, owner, patch.sessionId);
      return { ...row, ...toColumns({ ...toFields(row), ...patch }) };
    });
  }

  pause(owner: string, id: string): Promise<OutgoingWebhook> {
    return this.#change(owner, id, (row) => ({ ...row, paused_at: row.paused_at ?? Date.now() }));
  }

  /** Whether it was paused or disabled; the time that it has failed is counted anew. */
  async resume(owner: string, id: string): Promise<OutgoingWebhook> {
    const running = { paused_at: null, disabled_at: null, disabled_because: null, failing_since: null };
    const resumed = await this.#change(owner, id, (row) => ({ ...row, ...running }));
    this.#deps.sender.wake();
    return resumed;
  }

  async delete(owner: string, id: string): Promise<void> {
    const { log, recorder } = this.#deps;
    await log.write(async (tx) => {
      if (!(await deleteOutgoing(tx.db, owner, id))) throw notFound(id);
      tx.afterwards.push(() => {
        recorder.forget(id);
        this.#deps.changed(owner);
      });
    });
  }

  async renewSecret(owner: string, id: string): Promise<{ secret: string }> {
    let secret = '';
    await this.#change(owner, id, (row) => {
      const keys = renewed(row, Date.now());
      secret = keys.secret;
      return { ...row, ...keys };
    });
    return { secret };
  }

  /** Sent once, also by a webhook that is paused. */
  async test(owner: string, id: string): Promise<WebhookDelivery> {
    const { log, sender } = this.#deps;
    const made = await log.write(async (tx) => {
      await load(tx.db, owner, id);
      const nothing = { sessionId: null, turnId: null, messageId: null, artifactId: null };
      const sequence = (await nextTestSequence(tx.db, id)) ?? 0;
      const delivery = newDelivery(tx.now, id, sequence, { event: 'webhook.test', ...nothing }, {});
      // Only this request sends it.
      const row = { ...delivery, next_at: null };
      await insertDelivery(tx.db, row);
      return row;
    });
    await sender.sendNow(id, made.id);
    return this.#delivery(id, made.id);
  }

  async deliveries(owner: string, id: string, { before, limit }: { before?: string | undefined; limit: number }) {
    const { db } = this.#deps.log;
    await load(db, owner, id);
    const rows = await selectDeliveries(db, id, before ?? null, limit + 1);
    const deliveries = rows.slice(0, limit).map(toDelivery);
    return { deliveries, isComplete: rows.length <= limit } satisfies WebhookDeliveryList;
  }

  /** Now, under the same id; what fails is tried again like a new one. */
  async redeliver(owner: string, id: string, deliveryId: string): Promise<WebhookDelivery> {
    const { log, sender } = this.#deps;
    await log.write(async (tx) => {
      await load(tx.db, owner, id);
      const row = await loadDelivery(tx.db, id, deliveryId);
      if (row.body === null) throw new AppError('webhook_delivery_withdrawn', say('webhook_delivery_withdrawn'));
      // Only this request sends it now.
      await saveDelivery(tx.db, { ...row, state: 'pending', attempts: 0, next_at: null, ended_at: null });
    });
    await sender.sendNow(id, deliveryId);
    return this.#delivery(id, deliveryId);
  }

  async #delivery(id: string, deliveryId: string): Promise<WebhookDelivery> {
    return toDelivery(await loadDelivery(this.#deps.log.db, id, deliveryId));
  }

  async #change(
    owner: string,
    id: string,
    work: (row: OutgoingWebhookRow, tx: Tx) => OutgoingWebhookRow | Promise<OutgoingWebhookRow>,
  ): Promise<OutgoingWebhook> {
    const row = await this.#write(id, async (tx) => {
      const changed = { ...(await work(await load(tx.db, owner, id), tx)), updated_at: Date.now() };
      await saveOutgoing(tx.db, changed);
      return changed;
    });
    return view(this.#deps.log.db, row);
  }

  #write(id: string, work: (tx: Tx) => Promise<OutgoingWebhookRow>): Promise<OutgoingWebhookRow> {
    const { log, recorder } = this.#deps;
    return log.write(async (tx) => {
      const row = await work(tx);
      tx.afterwards.push(() => {
        recorder.note({ ...row, id });
        this.#deps.changed(row.owner);
      });
      return row;
    });
  }

  /** What a name stands for is judged before each request. */
  #assertUrl(url: string): void {
    try {
      assertFetchable({ allowHosts: this.#deps.allowedHosts() }, new URL(url));
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      throw new AppError('webhook_url_refused', say('webhook_url_refused', { reason: error.message }));
    }
  }

  async #assertRoom(tx: Tx, owner: string): Promise<void> {
    const limit = this.#deps.limit();
    if ((await countOutgoing(tx.db, owner)) < limit) return;
    throw new AppError('too_many_webhooks', say('too_many_webhooks', { limit }));
  }
}

type Fields = CreateOutgoingWebhook;

function newRow(owner: string, wanted: Fields): OutgoingWebhookRow {
  const now = Date.now();
  return {
    id: newId(),
    owner,
    ...toColumns(wanted),
    secret: newSecret(),
    previous_secret: null,
    previous_until: null,
    sequence: 0,
    failing_since: null,
    paused_at: null,
    disabled_at: null,
    disabled_because: null,
    created_at: now,
    updated_at: now,
  };
}

function toColumns({ name, url, events, agents, sessionId, texts }: Fields) {
  const lists = { events: JSON.stringify(events), agents: JSON.stringify(agents) };
  return { name, url, ...lists, session_id: sessionId, texts: texts ? 1 : 0 };
}

function toFields({ name, url, events, agents, session_id, texts }: OutgoingWebhookRow): Fields {
  const lists = { events: listed(events) as WebhookEvent[], agents: listed(agents) };
  return { name, url, ...lists, sessionId: session_id, texts: texts === 1 };
}

async function load(db: Db, owner: string, id: string): Promise<OutgoingWebhookRow> {
  const row = await findOutgoing(db, owner, id);
  if (row) return row;
  throw notFound(id);
}

async function loadDelivery(db: Db, webhookId: string, id: string): Promise<WebhookDeliveryRow> {
  const row = await findDelivery(db, webhookId, id);
  if (row) return row;
  throw new AppError('webhook_delivery_not_found', say('webhook_delivery_not_found', { id }));
}

function notFound(id: string): AppError {
  return new AppError('webhook_not_found', say('webhook_not_found', { id }));
}

async function assertNameFree(tx: Tx, owner: string, name: string): Promise<void> {
  if (!(await isOutgoingNameTaken(tx.db, owner, name))) return;
  throw new AppError('webhook_name_taken', say('webhook_name_taken', { name }));
}

async function view(db: Db, row: OutgoingWebhookRow): Promise<OutgoingWebhook> {
  const [last] = await selectDeliveries(db, row.id, null, 1);
  const { body: _, response: __, ...newest } = last ? toDelivery(last) : { body: null, response: null };
  return {
    id: row.id,
    ...toFields(row),
    state: row.disabled_at !== null ? 'disabled' : row.paused_at !== null ? 'paused' : 'active',
    pausedAt: toTime(row.paused_at),
    disabledBecause: row.disabled_because,
    failingSince: toTime(row.failing_since),
    pending: await countPending(db, row.id),
    lastDelivery: 'id' in newest ? newest : null,
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
  };
}

function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    sequence: row.sequence,
    state: row.state,
    attempts: row.attempts,
    nextAt: toTime(row.next_at),
    status: row.status,
    response: row.response,
    error: row.error,
    durationMs: row.duration_ms,
    body: row.body,
    sessionId: row.session_id,
    createdAt: toTime(row.created_at),
    attemptedAt: toTime(row.attempted_at),
    endedAt: toTime(row.ended_at),
  };
}
