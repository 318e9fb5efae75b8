import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { toggle } from '../app/panes.ts';
import { useText } from '../i18n/text.ts';
import { IconButton } from '../ui/button.tsx';

/** Over the page, as long as it is wanted: the keyboard stays in it, Escape and the page behind it close it. */
export function Sheet({ children }: { children: ReactNode }) {
  const text = useText();
  return (
    <Base.Root open onOpenChange={(open) => !open && toggle('left')}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Base.Popup
          render={<nav />}
          className="fixed inset-y-0 left-0 z-40 flex w-80 max-w-[88vw] flex-col border-r border-line bg-surface shadow-float outline-none"
        >
          <header className="flex h-(--header) flex-none items-center border-b border-line pr-2 pl-3">
            <Base.Title className="flex-1 text-md font-semibold">{text('nav.sessions')}</Base.Title>
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
