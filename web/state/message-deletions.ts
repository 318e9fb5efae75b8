import { useStore } from 'zustand';
import { isBusy, type SessionState } from '../../client/session-state.ts';
import type { Message } from '../../contract/messages.ts';
import { text } from '../i18n/text.ts';
import type { Live } from '../live/live.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { notify } from '../ui/toast.tsx';
import { deviceMemory } from './device-memory.ts';
import { type Hidden, PendingDeletions } from './pending-message-deletions.ts';
import { shownBox } from './shown-box.ts';
import { UNDO_MS } from './undoable-deletions.ts';

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
