import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { recall, remember } from '../../state/device-memory.ts';

const KEY = 'parley.sidebar.width';

export const WIDTH = { least: 200, most: 420, usual: 264 };

const width = createStore<{ px: number }>()(() => ({ px: within(Number(recall(KEY, WIDTH.usual))) }));

export function useWidth(): number {
  return useStore(width, ({ px }) => px);
}

export function setWidth(px: number): void {
  width.setState({ px: within(px) });
}

/** What holds is what it was when one let go. */
export function keepWidth(): void {
  remember(KEY, width.getState().px);
}

function within(px: number): number {
  return Math.round(Math.min(WIDTH.most, Math.max(WIDTH.least, px || WIDTH.usual)));
}
