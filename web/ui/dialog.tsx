import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useText } from '../i18n/text.ts';
import { IconButton } from './button.tsx';
import { cx } from './cx.ts';

interface Props {
  open: boolean;
  onClose(): void;
  title: string;
  children: ReactNode;
  /** Buttons, last the one that does it. */
  footer?: ReactNode;
  wide?: boolean;
}

const FIELDS = 'input:not([disabled]), textarea, select, button:not([disabled]), a[href], [tabindex="0"]';

/** Focus goes in, to the first thing to fill in or press, and comes back; Escape and the cross close it. */
export function Dialog({ open, onClose, title, children, footer, wide = false }: Props) {
  const text = useText();
  const popup = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const firstFocus = (opened: string) => {
    const { activeElement } = document;
    if (body.current?.contains(activeElement)) return activeElement as HTMLElement;
    // An on-screen keyboard comes when the person asks for it.
    const field = opened === 'touch' ? null : body.current?.querySelector<HTMLElement>(FIELDS);
    return field ?? popup.current;
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          ref={popup}
          data-touch=""
          initialFocus={firstFocus}
          className={cx(
            'fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[calc(100vw-24px)] -translate-x-1/2 flex-col rounded-lg border border-line-strong bg-raised shadow-float outline-none',
            wide ? 'max-w-2xl' : 'max-w-md',
          )}
        >
          <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
            <Base.Title className="flex-1 text-md font-semibold">{title}</Base.Title>
            <Base.Close render={<IconButton label={text('action.close')} />}>
              <X size={15} />
            </Base.Close>
          </header>
          <div ref={body} className="min-h-0 overflow-y-auto px-4 py-3">
            {children}
          </div>
          {footer && <footer className="flex justify-end gap-2 border-t border-line px-4 py-2.5">{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
