import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { recall, remember } from './device-memory.ts';

const KEY = 'parley.drafts';
const KEPT = 50;
const WRITE_MS = 400;

type Drafts = Readonly<Record<string, string>>;

/** What was begun and not sent, by session. On this device only. */
const drafts = createStore<Drafts>()(() => read());
/** Changed here since the last write; other tabs write drafts of their own. */
const changed = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

export function useDraft(sessionId: string): string {
  return useStore(drafts, (state) => state[sessionId] ?? '');
}

export function draftOf(sessionId: string): string {
  return drafts.getState()[sessionId] ?? '';
}

export function setDraft(sessionId: string, text: string): void {
  drafts.setState(withDraft(drafts.getState(), sessionId, text), true);
  changed.add(sessionId);
  timer ??= setTimeout(write, WRITE_MS);
}

/** Adds something to what is being written, on a line of its own. */
export function addToDraft(sessionId: string, text: string): void {
  const before = draftOf(sessionId);
  setDraft(sessionId, before === '' ? text : `${before.trimEnd()}\n\n${text}`);
}

function withDraft(all: Drafts, sessionId: string, text: string): Drafts {
  const { [sessionId]: _, ...others } = all;
  const kept = Object.entries(others).slice(-KEPT);
  return Object.fromEntries(text === '' ? kept : [...kept, [sessionId, text]]);
}

/** Not with every key: a moment later, and when the page goes away. */
function write(): void {
  clearTimeout(timer);
  timer = undefined;
  if (changed.size === 0) return;
  const stored = [...changed].reduce((all, sessionId) => withDraft(all, sessionId, draftOf(sessionId)), read());
  changed.clear();
  remember(KEY, stored);
}

addEventListener('pagehide', write);

function read(): Drafts {
  return recall(KEY, {});
}
