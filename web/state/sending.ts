import { createStore, type StoreApi } from 'zustand/vanilla';
import { ConnectionError } from '../../client/connection-error.ts';
import type { ParleyClient } from '../../client/parley-client.ts';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { FileKind } from '../../contract/files.ts';
import { newId } from '../../contract/ids.ts';
import type { WhenBusy } from '../../contract/turns.ts';
import type { Connection, LiveState } from '../live/live-state.ts';
import { type Memory, recall, remember } from './device-memory.ts';

/** `waiting`: the server was not reached, and it goes out by itself. `failed`: it was refused, and the person decides. */
export type SendingState = 'sending' | 'waiting' | 'sent' | 'failed';

export interface SentFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly kind: FileKind;
  readonly mediaType: string;
}

/** A message on its way. Its id is made here, so that it is accepted once however often it is sent. */
export interface Outgoing {
  readonly id: string;
  readonly sessionId: string;
  readonly content: string;
  readonly busy: WhenBusy;
  readonly files: readonly SentFile[];
  /** Where it will be seen: said at once, or in line behind what is going on. */
  readonly place: 'transcript' | 'queue';
  readonly state: SendingState;
  /** Why it failed, for the person. */
  readonly reason: string | null;
  readonly createdAt: string;
}

export type Wanted = Pick<Outgoing, 'sessionId' | 'content' | 'busy' | 'files' | 'place'>;

/** As much of `Live` as sending needs. */
export interface Server {
  readonly client: Pick<ParleyClient, 'sendMessage'>;
  readonly store: StoreApi<LiveState>;
}

const KEY = 'parley.outbox';
const AGAIN_MS = 5000;
const HEARD_MS = 10_000;
const OLD_MS = 3_600_000;
/** A connection that is known to be down is not tried again. */
const UNREACHED: readonly Connection[] = ['lost', 'stopping', 'signed-out'];
/** Refusals that say nothing of the message: the same one is accepted a moment later, or after signing in. */
const PASSING: readonly ErrorCode[] = [
  'shutting_down',
  'overloaded',
  'storage_unavailable',
  'storage_unconfirmed',
  'unauthorized',
];

/**
 * What was sent and is not yet in the conversation. One message of a session at a time, so that they arrive in the order
 * in which they were written; kept on the device until the server has it, also through a reload.
 */
export class Outbox {
  readonly store: StoreApi<readonly Outgoing[]>;
  readonly #server: Server;
  readonly #memory: Memory;
  readonly #busy = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(server: Server, memory: Memory, now: number = Date.now()) {
    this.#server = server;
    this.#memory = memory;
    this.store = createStore<readonly Outgoing[]>()(() => restore(memory, now));
    server.store.subscribe((state, before) => this.#follow(state, before));
    if (server.store.getState().connection === 'open') this.#resume();
  }

  send(wanted: Wanted): Outgoing {
    const createdAt = new Date().toISOString();
    const outgoing: Outgoing = { ...wanted, id: newId(), state: 'sending', reason: null, createdAt };
    this.#save([...this.store.getState(), outgoing]);
    void this.#next(outgoing.sessionId);
    return outgoing;
  }

  retry(id: string): void {
    this.#change(id, { state: 'sending', reason: null });
    this.#resume();
  }

  discard(id: string): void {
    this.#save(this.store.getState().filter((one) => one.id !== id));
  }

  #resume(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const sessionId of new Set(this.store.getState().map((one) => one.sessionId))) void this.#next(sessionId);
  }

  async #next(sessionId: string): Promise<void> {
    const next = this.store.getState().find((one) => one.sessionId === sessionId && isPending(one));
    if (!next || this.#busy.has(sessionId)) return;
    this.#busy.add(sessionId);
    const goesOn = await this.#attempt(next);
    this.#busy.delete(sessionId);
    if (goesOn) await this.#next(sessionId);
  }

  /** Whether the one after it may be sent now. */
  async #attempt({ id, sessionId, content, busy, files }: Outgoing): Promise<boolean> {
    if (UNREACHED.includes(this.#server.store.getState().connection)) this.#change(id, { state: 'waiting' });
    try {
      const named = files.length > 0 && { files: files.map((file) => file.id) };
      await this.#server.client.sendMessage(sessionId, { id, content, busy, ...named });
      this.#change(id, { state: 'sent' });
      this.#dropHeard(this.#server.store.getState());
      setTimeout(() => this.discard(id), HEARD_MS);
      return true;
    } catch (error) {
      return this.#fail(id, error);
    }
  }

  #fail(id: string, error: unknown): boolean {
    const passes = error instanceof ConnectionError || (error instanceof AppError && PASSING.includes(error.code));
    this.#change(id, passes ? { state: 'waiting' } : { state: 'failed', reason: messageOf(error) });
    if (passes) this.#timer ??= setTimeout(() => this.#resume(), AGAIN_MS);
    return !passes;
  }

  #follow(state: LiveState, before: LiveState): void {
    if (state.states !== before.states) this.#dropHeard(state);
    if (state.connection === 'open' && before.connection !== 'open') this.#resume();
  }

  /** What has arrived in the conversation is shown by the conversation. */
  #dropHeard(state: LiveState): void {
    const all = this.store.getState();
    const rest = all.filter((one) => one.state !== 'sent' || !isHeard(state, one));
    if (rest.length < all.length) this.#save(rest);
  }

  #change(id: string, change: Partial<Outgoing>): void {
    this.#save(this.store.getState().map((one) => (one.id === id ? { ...one, ...change } : one)));
  }

  #save(all: readonly Outgoing[]): void {
    this.store.setState(all, true);
    remember(
      KEY,
      all.filter(({ state }) => state !== 'sent'),
      this.#memory,
    );
  }
}

function isPending({ state }: Outgoing): boolean {
  return state === 'sending' || state === 'waiting';
}

/**
 * A message sent at once is also queued for a moment before its turn begins: it stays in the transcript, unless a turn
 * that it does not interrupt is running.
 */
function isHeard({ states }: LiveState, { id, sessionId, place, busy }: Outgoing): boolean {
  const state = states.get(sessionId);
  if (!state || state.messages.has(id)) return true;
  const isWaiting = place === 'queue' || (busy !== 'interrupt' && state.open.length > 0);
  return isWaiting && state.queue.some(({ message }) => message.id === id);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Something written long ago is not sent behind the person's back: they are asked. */
function restore(memory: Memory, now: number): readonly Outgoing[] {
  const kept = recall<readonly Outgoing[]>(KEY, [], memory);
  if (!Array.isArray(kept)) return [];
  return kept.map((one: Outgoing) =>
    isPending(one) && now - Date.parse(one.createdAt) > OLD_MS ? { ...one, state: 'failed' } : one,
  );
}
