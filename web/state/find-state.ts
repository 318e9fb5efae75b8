import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

interface Finding {
  /** Conversations whose find bar is open. */
  readonly open: ReadonlySet<string>;
  /** Counts requests to find something: each focuses the box again, also when it is open already. */
  readonly focusRequests: number;
}

const finding = createStore<Finding>()(() => ({ open: new Set(), focusRequests: 0 }));

export function useFinding(sessionId: string): { isOpen: boolean; focusRequests: number } {
  const isOpen = useStore(finding, ({ open }) => open.has(sessionId));
  const focusRequests = useStore(finding, (state) => state.focusRequests);
  return { isOpen, focusRequests };
}

export function isFinding(sessionId: string): boolean {
  return finding.getState().open.has(sessionId);
}

export function openFind(sessionId: string): void {
  finding.setState(({ open, focusRequests }) => ({
    open: new Set(open).add(sessionId),
    focusRequests: focusRequests + 1,
  }));
}

export function closeFind(sessionId: string): void {
  finding.setState(({ open }) => ({ open: new Set([...open].filter((id) => id !== sessionId)) }));
}
