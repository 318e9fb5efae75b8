import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What the page says in place of what could not be shown; null while it shows something. */
const missing = createStore<{ title: string | null }>()(() => ({ title: null }));

export function useMissingTitle(): string | null {
  return useStore(missing, ({ title }) => title);
}

/** While it is drawn, this is also the name of the browser's tab. */
export function useSayMissing(title: string): void {
  useEffect(() => {
    missing.setState({ title });
    return () => missing.setState({ title: null });
  }, [title]);
}
