import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useText } from '../i18n/text.ts';
import { IconButton } from './button.tsx';
import { cx } from './cx.ts';

interface Props {
  title: string;
  side: 'left' | 'right';
  /** The landmark it is. */
  render: ReactElement;
  onClose(): void;
  children: ReactNode;
}

/**
 * A pane over the page where there is no room beside it. The focus stays in it; Escape, the close button and a click on the
 * page close it. It begins below the header, so that the button that opens and closes it stays in sight.
 */
export function Sheet({ title, side, render, onClose, children }: Props) {
  const text = useText();
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Base.Popup
          render={render}
          className={cx(
            'fixed top-(--header) bottom-0 z-40 flex w-80 max-w-[88vw] flex-col border-line bg-surface shadow-float outline-none',
            side === 'left' ? 'left-0 border-r' : 'right-0 border-l',
          )}
        >
          <header className="flex h-(--header) flex-none items-center border-b border-line pr-2 pl-4">
            <Base.Title className="flex-1 text-md font-semibold">{title}</Base.Title>
            <Base.Close render={<IconButton label={text('action.close')} />}>
              <X size={15} />
            </Base.Close>
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
