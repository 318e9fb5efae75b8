import { cloneElement, type KeyboardEvent, type MouseEvent, type ReactElement, type ReactNode, useState } from 'react';
import { text } from '../i18n/text.ts';
import type { MenuItemProps, MenuProps, OpenedBy } from './menu-parts.tsx';
import { notify } from './toast.tsx';

type Parts = typeof import('./menu-parts.tsx');

let parts: Parts | null = null;

/** A first view does without menus: what they are made of is loaded with the first one, or before when there is time. */
export async function loadMenus(): Promise<Parts> {
  parts ??= await import('./menu-parts.tsx');
  return parts;
}

export function Menu(props: MenuProps) {
  const [openedBy, setOpenedBy] = useState<OpenedBy | null>(null);
  if (!openedBy || !parts) return <ClosedMenu trigger={props.trigger} load={loadMenus} onOpen={setOpenedBy} />;
  return <parts.OpenMenu {...props} openedBy={openedBy} />;
}

interface ClosedProps {
  trigger: ReactElement;
  popup?: 'menu' | 'dialog';
  load(): Promise<unknown>;
  onOpen(by: OpenedBy): void;
}

/** The trigger of a menu that has not been opened yet. */
export function ClosedMenu({ trigger, popup = 'menu', load, onOpen }: ClosedProps) {
  const open = (by: OpenedBy) =>
    void load().then(
      () => onOpen(by),
      () => notify({ title: text('page.failed') }),
    );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open('keyboard');
  };
  const prepare = () => void load().catch(() => undefined);
  const closed = {
    'aria-haspopup': popup,
    'aria-expanded': false,
    // A click that a key made has no pointer that was pressed once, twice, …
    onClick: ({ detail }: MouseEvent) => open(detail === 0 ? 'keyboard' : 'pointer'),
    onKeyDown,
    onPointerEnter: prepare,
    onFocus: prepare,
  };
  return cloneElement(trigger as ReactElement<typeof closed>, closed);
}

/** Only ever inside an open menu, which has loaded its parts. */
export function MenuItem(props: MenuItemProps) {
  return parts && <parts.MenuItem {...props} />;
}

/** A line of facts; not an action. */
export function MenuInfo({ children }: { children: ReactNode }) {
  return <p className="max-w-72 px-2 py-1 text-xs text-fg-3">{children}</p>;
}

export function MenuSeparator() {
  return parts && <parts.MenuSeparator />;
}
