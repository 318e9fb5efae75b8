import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { lazyDialog } from '../ui/lazy-dialog.tsx';

const leaving = createStore<{ href: string | null }>()(() => ({ href: null }));
const Asking = lazyDialog(async () => (await import('./leaving-dialog.tsx')).default);

/** The person sees the whole address before the browser goes there. */
export function askBeforeLeaving(href: string): void {
  leaving.setState({ href });
}

/** Once in the app. */
export function LeavingDialog() {
  const href = useStore(leaving, (state) => state.href);
  return href !== null && <Asking href={href} onClose={() => leaving.setState({ href: null })} />;
}
