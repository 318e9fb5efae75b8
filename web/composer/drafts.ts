import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

const KEY = 'parley.drafts';
const KEPT = 50;

type Drafts = Readonly<Record<string, string>>;

/** What was begun and not sent, by session. On this device only. */
const drafts = createStore<Drafts>()(() => read());

export function useDraft(sessionId: string): string {
  return useStore(drafts, (state) => state[sessionId] ?? '');
}

export function setDraft(sessionId: string, text: string): void {
  const { [sessionId]: _, ...others } = drafts.getState();
  const kept = Object.entries(others).slice(-KEPT);
  drafts.setState(Object.fromEntries(text === '' ? kept : [...kept, [sessionId, text]]), true);
  localStorage.setItem(KEY, JSON.stringify(drafts.getState()));
}

/** Adds something to what is being written, on a line of its own. */
export function addToDraft(sessionId: string, text: string): void {
  const before = drafts.getState()[sessionId] ?? '';
  setDraft(sessionId, before === '' ? text : `${before.replace(/\n*$/, '\n\n')}${text}`);
}

function read(): Drafts {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Drafts;
  } catch {
    return {};
  }
}
