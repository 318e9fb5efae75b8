import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

interface Panes {
  left: boolean;
  right: boolean;
}

/** From these widths of the window on, a pane stands beside the page; below, it is a sheet over it. */
export const WIDE = { left: 760, right: 1100 } as const;
const SIDES = ['left', 'right'] as const;

/** What is open where there is room. Narrow screens begin with none, and show one at a time over the page. */
const wished: Panes = { left: true, right: true };
const panes = createStore<Panes>()(() => ({ left: hasRoom('left'), right: hasRoom('right') }));

export function usePanes(): Panes {
  return useStore(panes);
}

export function toggle(side: keyof Panes): void {
  const isOpen = !panes.getState()[side];
  if (hasRoom(side)) wished[side] = isOpen;
  panes.setState({ [side]: isOpen });
}

/** After a choice on a narrow screen the page comes back. */
export function closeOverlays(): void {
  panes.setState((state) => ({ left: state.left && hasRoom('left'), right: state.right && hasRoom('right') }));
}

function hasRoom(side: keyof Panes, width = innerWidth): boolean {
  return width >= WIDE[side];
}

let width = innerWidth;
/** An on-screen keyboard makes the page lower, not narrower. What a narrow window took away comes back with the room. */
addEventListener('resize', () => {
  if (innerWidth === width) return;
  for (const side of SIDES) if (hasRoom(side) && !hasRoom(side, width)) panes.setState({ [side]: wished[side] });
  width = innerWidth;
  closeOverlays();
});
