import { Menu as Base } from '@base-ui/react/menu';
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { cx } from './cx.ts';

export interface MenuProps {
  /** What opens it. */
  trigger: ReactElement;
  /** `MenuItem`s. */
  children: ReactNode;
  align?: 'start' | 'end';
  /** After it has gone and given the keyboard back. */
  onClosed?: (() => void) | undefined;
  /** Whether the trigger gets the keyboard back; by default it does. */
  finalFocus?: (() => boolean) | undefined;
}

export interface MenuItemProps {
  onSelect(): void;
  children: ReactNode;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  keys?: string | undefined;
}

/** With the keyboard, the first item of an opened menu is highlighted. */
export type OpenedBy = 'pointer' | 'keyboard';

type OpenProps = MenuProps & { openedBy: OpenedBy };

/** Loaded with the first menu that is opened, and open from the start. */
export function OpenMenu({ trigger, children, align = 'end', onClosed, finalFocus, openedBy }: OpenProps) {
  const button = usePressed(openedBy);
  return (
    <Base.Root defaultOpen={openedBy === 'pointer'} onOpenChangeComplete={(open) => !open && onClosed?.()}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} className="z-50">
          <Base.Popup
            finalFocus={finalFocus}
            className="max-h-(--available-height) min-w-44 max-w-[min(--spacing(80),100vw)] overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 shadow-float outline-none"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * For the trigger of a menu that was opened before the menu was loaded. A press of its own, as by the keyboard, lets the
 * menu highlight its first item.
 */
export function usePressed(openedBy: OpenedBy): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const isPressed = useRef(false);
  useEffect(() => {
    if (openedBy === 'pointer' || isPressed.current) return;
    isPressed.current = true;
    button.current?.focus();
    button.current?.click();
  }, [openedBy]);
  return button;
}

export function MenuItem({ onSelect, children, icon, danger = false, disabled = false, keys }: MenuItemProps) {
  return (
    <Base.Item
      onClick={onSelect}
      disabled={disabled}
      className={cx(
        'flex h-8 items-center gap-2 rounded-md px-2 touch:h-11 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover',
        danger ? 'text-danger' : 'text-fg',
      )}
    >
      <span className="grid w-4 place-items-center text-fg-3">{icon}</span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys && <kbd className="font-mono text-2xs text-fg-3 touch:hidden">{keys}</kbd>}
    </Base.Item>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="my-1 h-px bg-line" />;
}
