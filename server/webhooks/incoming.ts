import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { ROUTES } from '../../contract/routes.ts';
import { say } from '../../contract/texts.ts';
import type {
  CreatedIncomingWebhook,
  CreateIncomingWebhook,
  IncomingWebhook,
  PatchIncomingWebhook,
  WebhookCall,
  WebhookCallList,
} from '../../contract/webhooks.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { toTime } from '../sessions/views.ts';
import type { Db, IncomingWebhookRow, WebhookCallRow } from '../storage/tables.ts';
import {
  countIncoming,
  deleteIncoming,
  findIncoming,
  insertIncoming,
  isIncomingNameTaken,
  saveIncoming,
  selectCalls,
  selectIncoming,
} from './incoming-store.ts';
import type { RefusedRequests } from './refused-requests.ts';
import { newSecret, renewed } from './secrets.ts';

export interface IncomingDeps {
  readonly log: EventLog;
  readonly refused: RefusedRequests;
  /** How many an owner may have, of those that go out and of those that come in. */
  limit(): number;
  /** Where others reach the server, if that is known. */
  publicOrigin(): string | undefined;
  /** Throws unless there is such an agent. */
  requireAgent(agentId: string): void;
  /** Tells the owner's open pages. */
  changed(owner: string): void;
}

/** Addresses that turn signed requests into messages. */
export class IncomingWebhooks {
  readonly #deps: IncomingDeps;

  constructor(deps: IncomingDeps) {
    this.#deps = deps;
  }

  async list(owner: string): Promise<IncomingWebhook[]> {
    const rows = await selectIncoming(this.#deps.log.db, owner);
    return Promise.all(rows.map((row) => this.#view(row)));
  }

  async get(owner: string, id: string): Promise<IncomingWebhook> {
    return this.#view(await load(this.#deps.log.db, owner, id));
  }

  async create(owner: string, wanted: CreateIncomingWebhook): Promise<CreatedIncomingWebhook> {
    this.#assertAgent(wanted);
    const row = newRow(owner, wanted);
    await this.#write(owner, async (tx) => {
      await this.#assertRoom(tx, owner);
      await assertNameFree(tx, owner, wanted.name);
      if (wanted.sessionId !== null) await loadSession(tx.db, owner, wanted.sessionId);
      await insertIncoming(tx.db, row);
    });
    return { webhook: await this.#view(row), secret: row.secret };
  }

  patch(owner: string, id: string, patch: PatchIncomingWebhook): Promise<IncomingWebhook> {
    return this.#change(owner, id, async (row, tx) => {
      if (patch.name !== undefined && patch.name !== row.name) await assertNameFree(tx, owner, patch.name);
      const wanted = { ...toFields(row), ...patch };
      if (patch.agentId !== undefined || patch.sessionId !== undefined) this.#assertAgent(wanted);
      if (patch.sessionId) await loadSession(tx.db, owner, patch.sessionId);
      return { ...row, ...toColumns(wanted) };
    });
  }

  pause(owner: string, id: string): Promise<IncomingWebhook> {
    return this.#change(owner, id, (row) => ({ ...row, paused_at: row.paused_at ?? Date.now() }));
  }

  resume(owner: string, id: string): Promise<IncomingWebhook> {
    const running = { paused_at: null, disabled_at: null, disabled_because: null };
    return this.#change(owner, id, (row) => ({ ...row, ...running }));
  }

  async delete(owner: string, id: string): Promise<void> {
    await this.#write(owner, async ({ db }) => {
      if (!(await deleteIncoming(db, owner, id))) throw notFound(id);
    });
    this.#deps.refused.forget(id);
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

  async calls(owner: string, id: string, { before, limit }: { before?: string | undefined; limit: number }) {
    const { db } = this.#deps.log;
    await load(db, owner, id);
    const rows = await selectCalls(db, id, before ?? null, limit + 1);
    return { calls: rows.slice(0, limit).map(toCall), isComplete: rows.length <= limit } satisfies WebhookCallList;
  }

  async #change(
    owner: string,
    id: string,
    work: (row: IncomingWebhookRow, tx: Tx) => IncomingWebhookRow | Promise<IncomingWebhookRow>,
  ): Promise<IncomingWebhook> {
    const row = await this.#write(owner, async (tx) => {
      const changed = { ...(await work(await load(tx.db, owner, id), tx)), updated_at: Date.now() };
      await saveIncoming(tx.db, changed);
      return changed;
    });
    return this.#view(row);
  }

  #write<T>(owner: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#deps.log.write((tx) => {
      tx.afterwards.push(() => this.#deps.changed(owner));
      return work(tx);
    });
  }

  #assertAgent({ agentId, sessionId }: Pick<CreateIncomingWebhook, 'agentId' | 'sessionId'>): void {
    if (agentId !== null) this.#deps.requireAgent(agentId);
    else if (sessionId === null) throw new AppError('webhook_invalid', say('webhook_invalid.agent'));
  }

  async #assertRoom(tx: Tx, owner: string): Promise<void> {
    const limit = this.#deps.limit();
    if ((await countIncoming(tx.db, owner)) < limit) return;
    throw new AppError('too_many_webhooks', say('too_many_webhooks', { limit }));
  }

  async #view(row: IncomingWebhookRow): Promise<IncomingWebhook> {
    const [last] = await selectCalls(this.#deps.log.db, row.id, null, 1);
    const path = ROUTES.receiveWebhook.path.replace('{incomingId}', row.id);
    const origin = this.#deps.publicOrigin();
    return {
      id: row.id,
      ...toFields(row),
      path,
      url: origin === undefined ? null : origin + path,
      state: row.disabled_at !== null ? 'disabled' : row.paused_at !== null ? 'paused' : 'active',
      pausedAt: toTime(row.paused_at),
      disabledBecause: row.disabled_because,
      lastCall: last ? toCall(last) : null,
      lastRefused: this.#deps.refused.of(row.id),
      createdAt: toTime(row.created_at),
      updatedAt: toTime(row.updated_at),
    };
  }
}

type Fields = CreateIncomingWebhook;

function newRow(owner: string, wanted: Fields): IncomingWebhookRow {
  const now = Date.now();
  return {
    id: newId(),
    owner,
    ...toColumns(wanted),
    secret: newSecret(),
    previous_secret: null,
    previous_until: null,
    paused_at: null,
    disabled_at: null,
    disabled_because: null,
    created_at: now,
    updated_at: now,
  };
}

function toColumns({ name, signature, sessionId, agentId, folder, mode, template }: Fields) {
  return { name, signature, session_id: sessionId, agent_id: agentId, folder, mode, template };
}

function toFields({ name, signature, session_id, agent_id, folder, mode, template }: IncomingWebhookRow): Fields {
  return { name, signature, sessionId: session_id, agentId: agent_id, folder, mode, template };
}

async function load(db: Db, owner: string, id: string): Promise<IncomingWebhookRow> {
  const row = await findIncoming(db, owner, id);
  if (row) return row;
  throw notFound(id);
}

function notFound(id: string): AppError {
  return new AppError('webhook_not_found', say('webhook_not_found', { id }));
}

async function assertNameFree(tx: Tx, owner: string, name: string): Promise<void> {
  if (!(await isIncomingNameTaken(tx.db, owner, name))) return;
  throw new AppError('webhook_name_taken', say('webhook_name_taken', { name }));
}

function toCall(row: WebhookCallRow): WebhookCall {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    callerId: row.caller_id,
    state: row.state,
    sessionId: row.session_id,
    turnId: row.turn_id,
    error: row.error,
    bytes: row.bytes,
    createdAt: toTime(row.created_at),
  };
}
