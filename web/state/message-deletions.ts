import { useStore } from 'zustand';
import { isBusy } from '../../client/session-state.ts';
import type { Message } from '../../contract/messages.ts';
import { text } from '../i18n/text.ts';
import type { Live } from '../live/live.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { notify } from '../ui/toast.tsx';
import { deviceMemory } from './device-memory.ts';
import { focusAfter, focusMessage } from './focus-message.ts';
import { type Hidden, PendingDeletions } from './pending-message-deletions.ts';
import { UNDO_MS } from './undoable-deletions.ts';
import { withAnswers } from './with-answers.ts';

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
