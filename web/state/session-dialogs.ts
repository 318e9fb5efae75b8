import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What a person is asked before something is done with sessions. */
export type Asking = { kind: 'move'; ids: readonly string[] } | { kind: 'clear'; id: string };

const dialogs = createStore<{ asking: Asking | null }>()(() => ({ asking: null }));

/** The dialog that is open, if one is. */
export function useAsking(): Asking | null {
  return useStore(dialogs, ({ asking }) => asking);
}

export function ask(asking: Asking | null): void {
  dialogs.setState({ asking });
}
