import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

interface Finding {
  /** Conversations in which somebody looks for something. */
  readonly open: ReadonlySet<string>;
  /** Rises with every wish to look: the box is wanted again although it is there. */
  readonly wishes: number;
}

const finding = createStore<Finding>()(() => ({ open: new Set(), wishes: 0 }));

export function useFinding(sessionId: string): { isOpen: boolean; wishes: number } {
  const isOpen = useStore(finding, ({ open }) => open.has(sessionId));
  const wishes = useStore(finding, (state) => state.wishes);
  return { isOpen, wishes };
}

export function isFinding(sessionId: string): boolean {
  return finding.getState().open.has(sessionId);
}

export function openFind(sessionId: string): void {
  finding.setState(({ open, wishes }) => ({ open: new Set(open).add(sessionId), wishes: wishes + 1 }));
}

export function closeFind(sessionId: string): void {
  finding.setState(({ open }) => ({ open: new Set([...open].filter((id) => id !== sessionId)) }));
}
