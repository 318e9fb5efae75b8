import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** The turn whose request is shown, and the session it belongs to. */
export interface ShownInput {
  sessionId: string;
  turnId: string;
}

const shown = createStore<{ input: ShownInput | null }>()(() => ({ input: null }));

export function useShownInput(): ShownInput | null {
  return useStore(shown, ({ input }) => input);
}

export function showModelInput(sessionId: string, turnId: string): void {
  shown.setState({ input: { sessionId, turnId } });
}

export function hideModelInput(): void {
  shown.setState({ input: null });
}
