import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { ConnectionError } from '../../client/connection-error.ts';
import type { ParleyClient } from '../../client/parley-client.ts';
import { isBusy, type SessionState } from '../../client/session-state.ts';
import { AppError } from '../../contract/errors.ts';
import type { Message } from '../../contract/messages.ts';
import { text } from '../i18n/text.ts';
import type { Live } from '../live/live.ts';
import type { LiveState } from '../live/live-state.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { shownBox } from '../ui/keyboard-focus.ts';
import { notify } from '../ui/toast.tsx';
import { deviceMemory, type Memory, recall, remember } from './device-memory.ts';
import { leave, UNDO_MS } from './undoable-deletions.ts';

const deletions = new WeakMap<Live, PendingDeletions>();

export function deletionsOf(live: Live): PendingDeletions {
  const known = deletions.get(live);
  if (known) return known;
  const made = new PendingDeletions(live, deviceMemory, (error) => notify({ title: error.message }));
  deletions.set(live, made);
  addEventListener('pagehide', () => made.sendNow());
  return made;
}

/** Messages that the person has deleted, though the server may still have them. */
export function useHiddenMessages(): Hidden {
  return useStore(deletionsOf(useLiveConnection()).hidden);
}

/** Hides a message with its answers and deletes them once there was time to undo it. */
export function removeMessage(live: Live, message: Message): void {
  const state = live.store.getState().states.get(message.sessionId);
  if (state && isBusy(state)) {
    notify({ title: text('message.deleteBusy') });
    return;
  }
  const pending = deletionsOf(live);
  const { id, sessionId } = message;
  const hides = state ? withAnswers(state, id) : [id];
  const focusNext = focusAfter(id, hides);
  pending.add({ id, sessionId, hides, at: Date.now() });
  // After the menu, which gives the focus back to its trigger.
  requestAnimationFrame(focusNext);
  const undo = () => {
    pending.undo(id);
    requestAnimationFrame(() => focusMessage(id));
  };
  const close = notify({
    title: text('message.deleted'),
    undo: { label: text('action.undo'), run: undo },
    ms: UNDO_MS,
  });
  pending.onSettled(id, close);
}

/** Before a session is continued: what was deleted in it is deleted now, if the server lets it. */
export async function settleDeletions(live: Live, sessionId: string): Promise<void> {
  await deletionsOf(live).settle(sessionId);
}

/** Before a session is copied, shared or summarised: as above, and refused while a deleted message is still there. */
export async function finishDeletions(live: Live, sessionId: string): Promise<void> {
  if (!(await deletionsOf(live).settle(sessionId))) throw new Error(text('message.deletePending'));
}

/** A message and everything said in answer to it: what the server deletes along with it. */
function withAnswers({ messages, turns }: SessionState, messageId: string): string[] {
  const answering = new Set<string>();
  // Turns are in the order in which they were created only where they were heard live, so this repeats until it is stable.
  for (let before = -1; before !== answering.size; ) {
    before = answering.size;
    for (const { id, messageId: answered, parentTurnId, sessionId } of turns.values()) {
      const isNested =
        parentTurnId !== null && answering.has(parentTurnId) && turns.get(parentTurnId)?.sessionId === sessionId;
      if (answered === messageId || isNested) answering.add(id);
    }
  }
  const answers = [...messages.values()].filter(({ turnId }) => turnId !== null && answering.has(turnId));
  return [...new Set([messageId, ...answers.map(({ id }) => id)])];
}

/**
 * Called before messages are hidden. Gives a function that moves the focus to the message after them, or else to the
 * message box. By touch the box would bring up the keyboard of the device, so the transcript gets the focus instead.
 */
function focusAfter(messageId: string, hides: readonly string[]): () => void {
  const log = rowOf(messageId)?.closest<HTMLElement>('[role="log"]');
  const rows = [...(log?.querySelectorAll<HTMLElement>('[data-index]') ?? [])].sort(byIndex);
  const last = rows.findLastIndex(({ dataset }) => hides.includes(dataset.key!));
  const next = rows.slice(last + 1).find((row) => row.querySelector('article'))?.dataset.key;
  return () => {
    if (next !== undefined && focusMessage(next)) return;
    const box = matchMedia('(pointer: coarse)').matches ? log : shownBox();
    box?.focus({ preventScroll: true });
  };
}

/** False when the message is not drawn. */
function focusMessage(messageId: string): boolean {
  const article = rowOf(messageId)?.querySelector('article');
  if (!article) return false;
  // For as long as it has the focus: otherwise every click on a message would focus it and keep its toolbar open.
  article.tabIndex = -1;
  article.addEventListener('blur', () => article.removeAttribute('tabindex'), { once: true });
  article.focus({ preventScroll: true });
  return true;
}

function rowOf(messageId: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[role="log"] [data-key="${CSS.escape(messageId)}"]`);
}

function byIndex(one: HTMLElement, other: HTMLElement): number {
  return Number(one.dataset.index) - Number(other.dataset.index);
}

type Hidden = ReadonlySet<string>;

/** A message that is about to be deleted. */
interface Deletion {
  readonly id: string;
  readonly sessionId: string;
  /** The message and its answers. */
  readonly hides: readonly string[];
  /** When the person deleted it. */
  readonly at: number;
}

/** As much of `Live` as deleting needs. */
interface Server {
  readonly client: Pick<ParleyClient, 'call'>;
  readonly store: StoreApi<LiveState>;
}

const KEY = 'parley.messageDeletions';

/**
 * Deleted messages that can still be brought back. They are kept on the device until the server has deleted them, so that
 * neither a reload nor a lost connection makes one reappear.
 */
class PendingDeletions {
  readonly hidden: StoreApi<Hidden>;
  readonly #server: Server;
  readonly #memory: Memory;
  readonly #onFailure: (error: Error) => void;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #sending = new Map<string, Promise<void>>();
  readonly #settled = new Map<string, () => void>();
  /** Used where the device keeps nothing. */
  #all: readonly Deletion[] = [];

  constructor(server: Server, memory: Memory, onFailure: (error: Error) => void) {
    this.#server = server;
    this.#memory = memory;
    this.#onFailure = onFailure;
    const kept = this.#kept();
    this.hidden = createStore<Hidden>()(() => new Set(kept.flatMap(({ hides }) => hides)));
    for (const deletion of kept) this.#schedule(deletion);
    server.store.subscribe((state, before) => this.#follow(state, before));
  }

  add(deletion: Deletion): void {
    this.#keep([...this.#kept(), deletion]);
    this.hidden.setState(new Set([...this.hidden.getState(), ...deletion.hides]), true);
    this.#schedule(deletion);
  }

  /** Only while the server has not been asked: afterwards the message is gone. */
  undo(id: string): void {
    const deletion = this.#kept().find((one) => one.id === id);
    if (deletion && !this.#sending.has(id)) this.#drop(deletion);
  }

  /** Called once, when the deletion can no longer be undone. */
  onSettled(id: string, listener: () => void): void {
    this.#settled.set(id, listener);
  }

  /**
   * Deletes what is pending in a session without waiting any longer. False when the server has not deleted all of it;
   * fails when the server cannot be reached.
   */
  async settle(sessionId: string): Promise<boolean> {
    const pending = this.#kept().filter((one) => one.sessionId === sessionId);
    for (const deletion of pending) await this.#send(deletion);
    const kept = new Set(this.#kept().map(({ id }) => id));
    return pending.every(({ id }) => !kept.has(id) && this.hidden.getState().has(id));
  }

  /** The page goes away: a request that outlives it. What it does not reach is deleted when the page is opened again. */
  sendNow(): void {
    for (const { id } of this.#kept()) {
      clearTimeout(this.#timers.get(id));
      leave(this.#server.client.call('deleteMessage', { messageId: id, keepalive: true }));
    }
  }

  #schedule(deletion: Deletion): void {
    const left = Math.max(0, deletion.at + UNDO_MS - Date.now());
    this.#timers.set(
      deletion.id,
      setTimeout(() => void this.#send(deletion).catch(() => undefined), left),
    );
  }

  #send(deletion: Deletion): Promise<void> {
    const { id } = deletion;
    // Another tab may have undone or finished it.
    if (!this.#kept().some((one) => one.id === id)) return Promise.resolve(this.#drop(deletion));
    const sending = this.#sending.get(id) ?? this.#delete(deletion).finally(() => this.#sending.delete(id));
    this.#sending.set(id, sending);
    return sending;
  }

  async #delete(deletion: Deletion): Promise<void> {
    clearTimeout(this.#timers.get(deletion.id));
    try {
      await this.#server.client.call('deleteMessage', { messageId: deletion.id });
      this.#finish(deletion);
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      if (error instanceof AppError && error.code === 'message_not_found') return this.#finish(deletion);
      // A busy session: tried again when it is idle.
      if (error instanceof AppError && error.code === 'session_busy') return;
      this.#drop(deletion);
      this.#onFailure(error as Error);
    }
  }

  /** What is deleted stays hidden: the event that removes it from the conversation may still be on its way. */
  #finish({ id }: Deletion): void {
    this.#keep(this.#kept().filter((one) => one.id !== id));
    this.#tell(id);
  }

  #drop({ id, hides }: Deletion): void {
    clearTimeout(this.#timers.get(id));
    this.#keep(this.#kept().filter((one) => one.id !== id));
    this.hidden.setState(new Set([...this.hidden.getState()].filter((one) => !hides.includes(one))), true);
    this.#tell(id);
  }

  #tell(id: string): void {
    this.#settled.get(id)?.();
    this.#settled.delete(id);
  }

  /** What could not be deleted is tried again once the server is back or the session is idle. */
  #follow(state: LiveState, before: LiveState): void {
    const isBack = state.connection === 'open' && before.connection !== 'open';
    if (!isBack && state.states === before.states) return;
    for (const deletion of this.#kept()) {
      const isDue = deletion.at + UNDO_MS <= Date.now();
      const now = state.states.get(deletion.sessionId);
      const was = before.states.get(deletion.sessionId);
      const isIdleAgain = now !== undefined && was !== undefined && isBusy(was) && !isBusy(now);
      if (isDue && (isBack || isIdleAgain)) void this.#send(deletion).catch(() => undefined);
    }
  }

  #kept(): readonly Deletion[] {
    return this.#memory.getItem(KEY) === null ? this.#all : recall(KEY, [], this.#memory);
  }

  #keep(all: readonly Deletion[]): void {
    this.#all = all;
    remember(KEY, all, this.#memory);
  }
}
