import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { recall, remember } from '../../state/device-memory.ts';
import { sectionKey } from './rows.ts';

const KEY = 'parley.sidebar.open';

/** What was opened or folded on this device, by row; everything else is as it comes. */
export type Folding = Readonly<Record<string, boolean>>;

const folding = createStore<Folding>()(() => recall(KEY, {}));

export function useFolding(): Folding {
  return useStore(folding);
}

const FOLDED: readonly string[] = [sectionKey('delegated'), sectionKey('archived')];

export function isUnfolded(state: Folding, key: string): boolean {
  return state[key] ?? !FOLDED.includes(key);
}

export function unfold(key: string, open: boolean): void {
  folding.setState({ [key]: open });
  remember(KEY, folding.getState());
}

export function toggleFold(key: string): void {
  unfold(key, !isUnfolded(folding.getState(), key));
}
