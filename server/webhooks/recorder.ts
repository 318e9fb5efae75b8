import type { SessionEvent } from '../../contract/events.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import type { WebhookPayload } from '../../contract/webhooks.ts';
import type { Fact } from '../events/facts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { Db, OutgoingWebhookRow, WebhookDeliveryRow } from '../storage/tables.ts';
import { type Happening, happeningOf, happeningOfFact } from './happenings.ts';
import {
  countPending,
  endUnattended,
  insertDelivery,
  nextSequence,
  readOutgoing,
  saveOutgoing,
  selectActive,
  withdrawOfArtifact,
  withdrawOfMessages,
  withdrawOfSession,
} from './outgoing-store.ts';

export interface RecorderDeps {
  readonly log: EventLog;
  /** How many deliveries may wait for one webhook. */
  limit(): number;
  /** Tells the owner's open pages. */
  changed(owner: string): void;
  /** A webhook has something to send. */
  recorded(): void;
}

/**
 * Writes what webhooks are to be told in the transaction that makes it true: what is committed is told, whenever the
 * server is killed. Which webhooks there are is kept in memory, so that nothing is read where there are none.
 */
export class WebhookRecorder {
  readonly #deps: RecorderDeps;
  #active = new Map<string, OutgoingWebhookRow>();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    deps.log.alongside((tx) => this.#record(tx));
  }

  async load(): Promise<void> {
    await this.#deps.log.write(({ db, now }) => endUnattended(db, now, say('webhook.stopped').message));
    const rows = await selectActive(this.#deps.log.db);
    this.#active = new Map(rows.map((row) => [row.id, row]));
  }

  /** The webhooks that are told what happens. */
  get active(): readonly OutgoingWebhookRow[] {
    return [...this.#active.values()];
  }

  /** Once a transaction that made or changed a webhook has committed. */
  note(row: OutgoingWebhookRow): void {
    if (row.paused_at === null && row.disabled_at === null) this.#active.set(row.id, row);
    else this.#active.delete(row.id);
  }

  forget(id: string): void {
    this.#active.delete(id);
  }

  async #record(tx: Tx): Promise<void> {
    for (const { event } of tx.staged) await withdraw(tx, event);
    for (const fact of tx.facts) await withdrawFact(tx, fact);
    if (tx.staged.some(({ event }) => isRemoval(event)) || tx.facts.some(isRemoval)) this.#tellAll(tx);
    if (this.#active.size === 0) return;
    const happenings = [...tx.staged.map(happeningOf), ...tx.facts.map(happeningOfFact)];
    for (const happening of happenings) if (happening) await this.#recordOne(tx, happening);
  }

  async #recordOne(tx: Tx, happening: Happening): Promise<void> {
    for (const webhook of this.active) {
      if (!isWanted(webhook, happening)) continue;
      const data = await happening.describe(tx.db, webhook.texts === 1);
      await this.#insert(tx, webhook, happening, data);
    }
  }

  async #insert(tx: Tx, webhook: OutgoingWebhookRow, happening: Happening, data: WebhookPayload['data']) {
    const limit = this.#deps.limit();
    if ((await countPending(tx.db, webhook.id)) >= limit) return this.#disable(tx, webhook.id, limit);
    const sequence = await nextSequence(tx.db, webhook.id);
    if (sequence === null) return;
    await insertDelivery(tx.db, newDelivery(tx.now, webhook.id, sequence, happening, data));
    tx.afterwards.push(() => {
      this.#deps.recorded();
      this.#deps.changed(webhook.owner);
    });
  }

  /** Nothing is left out silently: a webhook that cannot keep up is disabled, and says so. */
  async #disable(tx: Tx, id: string, limit: number): Promise<void> {
    const row = await readOutgoing(tx.db, id);
    if (row?.disabled_at !== null) return;
    const because = say('webhook.too_many_pending', { limit }).message;
    const disabled = { ...row, disabled_at: tx.now, disabled_because: because, updated_at: tx.now };
    await saveOutgoing(tx.db, disabled);
    tx.afterwards.push(() => {
      this.note(disabled);
      this.#deps.changed(row.owner);
    });
  }

  /** What was withdrawn can be of any of them. */
  #tellAll(tx: Tx): void {
    for (const owner of new Set(this.active.map((webhook) => webhook.owner)))
      tx.afterwards.push(() => this.#deps.changed(owner));
  }
}

type About = Pick<Happening, 'sessionId' | 'turnId' | 'messageId' | 'artifactId'> & {
  readonly event: WebhookPayload['type'];
};

export function newDelivery(
  now: number,
  webhookId: string,
  sequence: number,
  { event, sessionId, turnId, messageId, artifactId }: About,
  data: WebhookPayload['data'],
): WebhookDeliveryRow {
  const id = newId();
  const payload: WebhookPayload = { id, type: event, timestamp: new Date(now).toISOString(), sequence, data };
  return {
    id,
    webhook_id: webhookId,
    event,
    sequence,
    state: 'pending',
    attempts: 0,
    next_at: Date.now(),
    status: null,
    response: null,
    error: null,
    duration_ms: null,
    body: JSON.stringify(payload),
    session_id: sessionId,
    turn_id: turnId,
    message_id: messageId,
    artifact_id: artifactId,
    created_at: now,
    attempted_at: null,
    ended_at: null,
  };
}

function isWanted(webhook: OutgoingWebhookRow, { owner, event, agentId, sessionId }: Happening): boolean {
  if (webhook.owner !== owner || !listed(webhook.events).includes(event)) return false;
  if (webhook.session_id !== null && webhook.session_id !== sessionId) return false;
  const agents = listed(webhook.agents);
  return agents.length === 0 || (agentId !== null && agents.includes(agentId));
}

export function listed(json: string): string[] {
  return JSON.parse(json) as string[];
}

const REMOVALS: ReadonlySet<string> = new Set([
  'session.deleted',
  'session.cleared',
  'message.deleted',
  'artifact.removed',
]);

function isRemoval({ type }: { type: string }): boolean {
  return REMOVALS.has(type);
}

/** What is deleted is not told any more, and the history does not quote it. */
async function withdraw({ db, now }: Tx, event: SessionEvent): Promise<void> {
  switch (event.type) {
    case 'session.deleted':
    case 'session.cleared':
      await withdrawOfSession(db, now, event.sessionId);
      break;
    case 'message.deleted': {
      const messages = JSON.stringify(event.messages.map(({ id }) => id));
      await withdrawOfMessages(db, now, event.sessionId, messages, JSON.stringify(event.turnIds));
      break;
    }
    default:
  }
}

async function withdrawFact({ db, now }: { db: Db; now: number }, fact: Fact): Promise<void> {
  if (fact.type === 'artifact.removed') await withdrawOfArtifact(db, now, fact.artifactId);
}
