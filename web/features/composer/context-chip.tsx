import { X } from 'lucide-react';
import { useText } from '../../i18n/panel-words.ts';
import { takeOffContext, usePanelContext } from '../../state/panel-context.ts';
import { ContextLabel } from '../../ui/context-label.tsx';

/** What goes with the next message because it is open beside it; it can be taken off. */
export function ContextChip({ sessionId }: { sessionId: string }) {
  const text = useText();
  const context = usePanelContext(sessionId);
  if (!context) return null;
  const title = context.item?.name || context.view?.name || context.panelTitle;
  return (
    <div className="flex px-3 pt-2.5">
      <ContextLabel context={context}>
        <button
          type="button"
          aria-label={text('panel.contextRemove', { title })}
          title={text('panel.contextRemove', { title })}
          onClick={() => takeOffContext(sessionId)}
          className="grid size-6 flex-none place-items-center rounded-md text-fg-3 hover:bg-hover hover:text-fg touch:size-11"
        >
          <X size={13} />
        </button>
      </ContextLabel>
    </div>
  );
}
