import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

interface Panes {
  left: boolean;
  right: boolean;
}

const WIDE = { left: 760, right: 1100 };

/** Which side panes are open on this screen. Narrow screens begin with none, and show one at a time over the page. */
const panes = createStore<Panes>()(() => ({ left: innerWidth >= WIDE.left, right: innerWidth >= WIDE.right }));

export function usePanes(): Panes {
  return useStore(panes);
}

export function toggle(side: keyof Panes): void {
  panes.setState((state) => ({ ...state, [side]: !state[side] }));
}

/** After a choice on a narrow screen the page comes back. */
export function closeOverlays(): void {
  panes.setState((state) => ({
    left: state.left && innerWidth >= WIDE.left,
    right: state.right && innerWidth >= WIDE.right,
  }));
}

let width = innerWidth;
/** An on-screen keyboard makes the page lower, not narrower. */
addEventListener('resize', () => {
  if (innerWidth !== width) closeOverlays();
  width = innerWidth;
});
