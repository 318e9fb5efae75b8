import { Menu as Base } from '@base-ui/react/menu';
import { useEffect, useRef, useState } from 'react';
import type { SessionDeps } from '../../state/session-deps.ts';
import type { Later } from '../../state/slots.tsx';
import { type Anchor, closeMenu, rename, useListState } from './list-state.ts';
import { toggleSelected } from './selection.ts';
import { SessionMenuItems } from './session-menu-items.tsx';

/** One menu for all rows: it stands where it was called. */
export function RowMenu({ deps }: { deps: SessionDeps }) {
  const menu = useListState((state) => state.menu);
  const [last, setLast] = useState<{ id: string; anchor: Anchor } | null>(null);
  /** Stays until the menu is opened again: the keyboard is given back only when nothing else has it. */
  const next = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (!menu) return;
    next.current = null;
    setLast(menu);
  }, [menu]);
  const shown = menu ?? last;
  if (!shown) return null;
  const later: Later = (open) => {
    next.current = open;
  };
  const goOn = (open: boolean) => {
    if (!open) next.current?.();
  };
  return (
    <Base.Root open={menu !== null} onOpenChange={(open) => !open && closeMenu()} onOpenChangeComplete={goOn}>
      <Base.Portal>
        <Base.Positioner anchor={shown.anchor} align="start" side="bottom" sideOffset={4} className="z-50">
          <Base.Popup
            finalFocus={() => next.current === null && rowOf(shown.id)}
            className="max-h-(--available-height) min-w-48 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 shadow-float outline-none"
          >
            <SessionMenuItems
              id={shown.id}
              later={later}
              onRename={() => rename(shown.id)}
              onSelect={() => toggleSelected(shown.id)}
              deps={deps}
            />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function rowOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[role="treeitem"][data-key="${CSS.escape(id)}"]`);
}
