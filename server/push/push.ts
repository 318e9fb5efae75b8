import { ECDH } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Action } from '../../contract/actions.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { PushMessage, PushSubscription, SubscribeToPush } from '../../contract/push.ts';
import { say } from '../../contract/texts.ts';
import type { Bus } from '../events/bus.ts';
import type { EventLog } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { toSession } from '../sessions/views.ts';
import type { Db, PushSubscriptionRow } from '../storage/tables.ts';
import { guardedFetch } from '../tools/guarded-fetch.ts';
import { FetchFailure } from '../tools/guarded-fetch-failure.ts';
import { type PushKeys, readPushKeys } from './push-keys.ts';
import {
  deleteByEndpoint,
  deleteSubscription,
  findSubscription,
  insertSubscription,
  listSubscriptions,
  savePushOutcome,
} from './push-store.ts';

const MOST_SUBSCRIPTIONS = 20;
/** What a person answers at once needs no notification. */
const WAIT_MS = 1500;
const TIMEOUT_MS = 15_000;
const RETRY_MS = [2000, 10_000, 60_000];
/** Actions that are told at the same time. Of more, the devices learn when the person looks at the first ones. */
const MOST_TOLD_AT_ONCE = 20;
const KEPT_BY_SERVICE_SECONDS = 24 * 3600;
const MAX_ANSWER_BYTES = 10_000;

export interface PushDeps {
  readonly log: EventLog;
  /** The file of the VAPID keys. */
  readonly keysFile: string;
  /** How push services reach the operator: a mailto: or https: address. */
  contact(): string;
  allowedHosts(): readonly string[];
  /** Whether an action still waits. */
  isOpen(owner: string, actionId: string): Promise<boolean>;
  nameOf(agentId: string): string;
  report(problem: string, error: unknown): void;
}

/** Tells the person's devices what waits for them, also when no page is open. */
export class Push {
  readonly #deps: PushDeps;
  readonly #stopped = new AbortController();
  #keys: Promise<PushKeys> | undefined;
  #told = 0;

  constructor(deps: PushDeps) {
    this.#deps = deps;
  }

  /** Follows the actions that open. Returns what ends it. */
  follow(bus: Bus): () => void {
    const leave = bus.subscribe({
      event: ({ owner, event }) => {
        if (event.type === 'action.opened') void this.#tellInTurn(owner, event.action);
      },
    });
    return () => {
      leave();
      this.#stopped.abort();
    };
  }

  async key(): Promise<{ publicKey: string }> {
    const { publicKey } = await this.#readKeys();
    return { publicKey };
  }

  async list(owner: string): Promise<PushSubscription[]> {
    return (await listSubscriptions(this.#deps.log.db, owner)).map(toSubscription);
  }

  /** A browser is notified for as long as it is signed in; without a sign-in, until it unsubscribes. */
  async subscribe(
    owner: string,
    { endpoint, keys, name, language }: SubscribeToPush,
    signInId: string | null,
  ): Promise<PushSubscription> {
    if (!isPublicKey(keys.p256dh)) throw new AppError('invalid_request', say('invalid_request.pushKey'));
    const row: PushSubscriptionRow = {
      id: newId(),
      owner,
      endpoint,
      p256dh: keys.p256dh,
      auth: keys.auth,
      name,
      language,
      created_at: Date.now(),
      last_sent_at: null,
      problem: null,
      sign_in_id: signInId,
    };
    await this.#deps.log.write(async ({ db }) => {
      await deleteByEndpoint(db, endpoint);
      if ((await listSubscriptions(db, owner)).length >= MOST_SUBSCRIPTIONS)
        throw new AppError(
          'too_many_push_subscriptions',
          say('too_many_push_subscriptions', { limit: MOST_SUBSCRIPTIONS }),
        );
      await insertSubscription(db, row);
    });
    return toSubscription(row);
  }

  async unsubscribe(owner: string, id: string): Promise<void> {
    const isGone = await this.#deps.log.write(({ db }) => deleteSubscription(db, owner, id));
    if (!isGone) throw notFound(id);
  }

  async test(owner: string, id: string): Promise<PushSubscription> {
    const row = await findSubscription(this.#deps.log.db, owner, id);
    if (!row) throw notFound(id);
    const words = { agent: '', tool: '', session: '' };
    const failure = await this.#send(row, { kind: 'test', ...words, language: row.language, url: '/', tag: 'test' });
    if (failure) throw new AppError('push_failed', say('push_failed', { reason: failure.words }));
    return toSubscription((await findSubscription(this.#deps.log.db, owner, id)) ?? row);
  }

  async #tellInTurn(owner: string, action: Action): Promise<void> {
    if (this.#told >= MOST_TOLD_AT_ONCE) return;
    this.#told += 1;
    try {
      await this.#tell(owner, action);
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#told -= 1;
    }
  }

  async #tell(owner: string, action: Action): Promise<void> {
    const { log, isOpen, nameOf } = this.#deps;
    if ((await listSubscriptions(log.db, owner)).length === 0) return;
    await pause(WAIT_MS, undefined, { signal: this.#stopped.signal });
    if (!(await isOpen(owner, action.id))) return;
    const { title } = toSession(await loadSession(log.db, owner, action.sessionId));
    const message = {
      kind: action.kind,
      agent: nameOf(action.agentId),
      tool: action.approval?.tool ?? '',
      session: title,
      url: `/sessions/${action.sessionId}`,
      tag: action.id,
    };
    const rows = await listSubscriptions(log.db, owner);
    const isWanted = async ({ id }: PushSubscriptionRow) =>
      (await isOpen(owner, action.id)) && (await findSubscription(log.db, owner, id)) !== undefined;
    const sent = rows.map((row) => this.#sendInTime(row, { ...message, language: row.language }, isWanted));
    for (const result of await Promise.allSettled(sent)) if (result.status === 'rejected') this.#failed(result.reason);
  }

  /** Tries again for a while, as long as the action waits and the person wants to be told. */
  async #sendInTime(
    row: PushSubscriptionRow,
    message: PushMessage,
    isWanted: (row: PushSubscriptionRow) => Promise<boolean>,
  ): Promise<void> {
    for (const wait of [...RETRY_MS, null]) {
      const failure = await this.#send(row, message);
      if (!failure?.mayPass || wait === null) return;
      await pause(wait, undefined, { signal: this.#stopped.signal });
      if (!(await isWanted(row))) return;
    }
  }

  /** Returns why it was not taken. A subscription that the browser has ended is forgotten. */
  async #send(row: PushSubscriptionRow, message: PushMessage): Promise<Failure | null> {
    const failure = await this.#post(row, message);
    await this.#deps.log.write(({ db }) => noteOutcome(db, row, failure));
    return failure;
  }

  async #post(row: PushSubscriptionRow, message: PushMessage): Promise<Failure | null> {
    const { default: webPush } = await import('web-push');
    const { contact, allowedHosts } = this.#deps;
    const { endpoint, p256dh, auth } = row;
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(message),
      {
        vapidDetails: { subject: contact(), ...(await this.#readKeys()) },
        TTL: KEPT_BY_SERVICE_SECONDS,
        urgency: 'high',
        contentEncoding: 'aes128gcm',
      },
    );
    try {
      const { status } = await guardedFetch(endpoint, {
        method: 'POST',
        headers: toHeaders(headers),
        body: new Uint8Array(body!),
        allowHosts: allowedHosts(),
        maxBytes: MAX_ANSWER_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal: this.#stopped.signal,
      });
      return judge(status);
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      return {
        words: error.message,
        mayPass: error.code === 'unreachable' || error.code === 'timed_out',
        isGone: false,
      };
    }
  }

  #readKeys(): Promise<PushKeys> {
    this.#keys ??= readPushKeys(this.#deps.keysFile).catch((error) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  #failed(error: unknown): void {
    if (!this.#stopped.signal.aborted) this.#deps.report('a push notification could not be sent', error);
  }
}

interface Failure {
  words: string;
  /** Whether trying again may help. */
  mayPass: boolean;
  /** The browser no longer takes notifications. */
  isGone: boolean;
}

async function noteOutcome(db: Db, { owner, id }: PushSubscriptionRow, failure: Failure | null): Promise<void> {
  if (failure?.isGone) await deleteSubscription(db, owner, id);
  else await savePushOutcome(db, failure ? null : Date.now(), failure?.words ?? null, id);
}

/** A point of the curve. For any other bytes no message could be encrypted. */
function isPublicKey(base64url: string): boolean {
  try {
    ECDH.convertKey(Buffer.from(base64url, 'base64url'), 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

function judge(status: number): Failure | null {
  if (status >= 200 && status < 300) return null;
  const mayPass = status === 408 || status === 429 || status >= 500;
  return { words: `HTTP ${status}`, mayPass, isGone: status === 404 || status === 410 };
}

function toHeaders(headers: Record<string, unknown>): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

function notFound(id: string): AppError {
  return new AppError('push_subscription_not_found', say('push_subscription_not_found', { id }));
}

function toSubscription(row: PushSubscriptionRow): PushSubscription {
  return {
    id: row.id,
    name: row.name,
    service: new URL(row.endpoint).host,
    createdAt: new Date(row.created_at).toISOString(),
    lastSentAt: row.last_sent_at === null ? null : new Date(row.last_sent_at).toISOString(),
    problem: row.problem,
  };
}
