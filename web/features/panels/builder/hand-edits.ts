import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { text } from '../../../i18n/text.ts';
import { recall, remember } from '../../../state/device-memory.ts';

/** What a person has made of a draft. */
export interface HandEdit {
  /** The call that proposed what was changed. */
  readonly callId: string;
  readonly text: string;
  /** The builder has been sent exactly this. */
  readonly isTold: boolean;
}

type Edits = Readonly<Record<string, HandEdit>>;

const KEY = 'parley.handEdits';
const KEPT = 20;

/** By session; on this device only. */
const edits = createStore<Edits>()(() => recall(KEY, {}));

export function useHandEdit(sessionId: string): HandEdit | undefined {
  return useStore(edits, (state) => state[sessionId]);
}

export function editByHand(sessionId: string, callId: string, written: string): void {
  put(sessionId, { callId, text: written, isTold: false });
}

export function forgetHandEdit(sessionId: string): void {
  put(sessionId, undefined);
}

/** Goes with the next message, so that the builder goes on from there. Null when there is nothing to tell. */
export function tellHandEdit(sessionId: string): string | null {
  const edit = edits.getState()[sessionId];
  if (!edit || edit.isTold || !isJson(edit.text)) return null;
  put(sessionId, { ...edit, isTold: true });
  return `${text('builder.changed')}\n\n\`\`\`json\n${edit.text.trim()}\n\`\`\``;
}

function put(sessionId: string, edit: HandEdit | undefined): void {
  const { [sessionId]: _, ...others } = edits.getState();
  const kept = Object.entries(others).slice(1 - KEPT);
  const next = Object.fromEntries(edit ? [...kept, [sessionId, edit]] : kept);
  edits.setState(next, true);
  remember(KEY, next);
}

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}
