import { Toast as Base } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { useText } from '../i18n/text.ts';
import { IconButton } from './button.tsx';

export interface Notice {
  title: string;
  description?: string;
  /** Something that can still be taken back. */
  undo?: { label: string; run(): void };
  /** Something to do about it. */
  action?: { label: string; run(): void };
  ms?: number;
}

/** Shows a notice and gives back how to close it. */
export type Show = (notice: Notice) => () => void;

const toasts = Base.createToastManager();

/** What is said in passing, one above the other. */
export function ToastStack({ onNotice }: { onNotice(show: Show): () => void }) {
  const text = useText();
  useEffect(() => onNotice(show), [onNotice]);
  return (
    <Base.Provider toastManager={toasts}>
      <Base.Portal>
        <Base.Viewport
          aria-label={text('app.notices')}
          className="fixed right-3 bottom-[calc(var(--bottom-bar,0px)+12px)] z-50 flex w-80 max-w-[calc(100vw-24px)] flex-col gap-2"
        >
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function show({ title, description, undo, action = undo, ms = 6000 }: Notice): () => void {
  let id = '';
  const close = () => toasts.close(id);
  const run = () => {
    close();
    action?.run();
  };
  const actionProps = action && { children: action.label, onClick: run };
  id = toasts.add({ title, description, timeout: ms, ...(actionProps && { actionProps }) });
  return close;
}

function List() {
  const text = useText();
  const { toasts: shown } = Base.useToastManager();
  return shown.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className="flex items-start gap-2 rounded-lg border border-line-strong bg-raised p-3 shadow-float"
    >
      <div className="min-w-0 flex-1">
        <Base.Title className="font-medium" />
        <Base.Description className="text-fg-2" />
      </div>
      <Base.Action className="rounded-md px-2 py-1 font-medium text-link hover:bg-hover touch:min-h-11" />
      <Base.Close render={<IconButton label={text('action.close')} />}>
        <X size={14} />
      </Base.Close>
    </Base.Root>
  ));
}
