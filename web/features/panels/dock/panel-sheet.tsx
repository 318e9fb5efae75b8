import { Dialog as Base } from '@base-ui/react/dialog';
import { ChevronDown, X } from 'lucide-react';
import { useText } from '../../../i18n/panel-words.ts';
import { changeLayout, closePanel, raisePanels, useIsRaised, useLayout } from '../../../state/open-panels.ts';
import { titleOf } from '../../../state/panel-context.ts';
import { findPanel, type OpenPanel, panelsOf, selectPanel } from '../../../state/panel-layout.ts';
import { useSlots } from '../../../state/slots.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { PanelBody } from './panel-body.tsx';

/** Where there is no room beside the conversation: the names of the open panels above it, and one panel over it. */
export function PanelSheet({ sessionId }: { sessionId: string }) {
  const text = useText();
  const layout = useLayout(sessionId);
  const isRaised = useIsRaised(sessionId);
  const panels = panelsOf(layout);
  const shown = findPanel(layout, layout.selectedId);
  const raise = (panel: OpenPanel) => {
    changeLayout(sessionId, (all) => selectPanel(all, panel.id));
    raisePanels(sessionId, true);
  };
  return (
    <>
      <nav
        aria-label={text('panel.all')}
        data-panels=""
        className="flex flex-none gap-1 overflow-x-auto border-b border-line bg-surface px-2"
      >
        {panels.map((panel) => (
          <PanelButton key={panel.id} panel={panel} isSelected={panel === shown} onRaise={() => raise(panel)} />
        ))}
      </nav>
      {isRaised && shown && <OverPage sessionId={sessionId} panel={shown} />}
    </>
  );
}

interface ButtonProps {
  panel: OpenPanel;
  isSelected: boolean;
  onRaise(): void;
}

function PanelButton({ panel, isSelected, onRaise }: ButtonProps) {
  const { panels: kinds } = useSlots();
  const Icon = kinds.find(({ type }) => type === panel.type)?.icon;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      data-selected={isSelected ? '' : undefined}
      onClick={onRaise}
      className={cx(
        'inline-flex h-9 max-w-48 flex-none items-center gap-1.5 border-b-2 px-2 text-fg-2 hover:text-fg touch:h-11',
        isSelected ? 'border-accent' : 'border-transparent',
      )}
    >
      {Icon && <Icon size={14} aria-hidden="true" className="flex-none" />}
      <span dir="auto" className="truncate">
        {titleOf(panel)}
      </span>
    </button>
  );
}

/** The focus stays in it; Escape and its buttons lead back to the conversation. */
function OverPage({ sessionId, panel }: { sessionId: string; panel: OpenPanel }) {
  const text = useText();
  const lower = () => raisePanels(sessionId, false);
  const title = titleOf(panel);
  return (
    <Base.Root open onOpenChange={(open) => !open && lower()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Base.Popup className="fixed inset-x-0 top-(--header) bottom-0 z-40 flex flex-col rounded-t-lg border-t border-line-strong bg-bg shadow-float outline-none">
          <div className="flex h-11 flex-none items-center gap-1 border-b border-line bg-surface pr-1 pl-3">
            <Base.Title id={`sheet-${panel.id}`} dir="auto" className="min-w-0 flex-1 truncate text-md font-semibold">
              {title}
            </Base.Title>
            <Base.Close render={<IconButton label={text('panel.toConversation')} />}>
              <ChevronDown size={17} />
            </Base.Close>
            <IconButton
              label={text('panel.closeNamed', { title })}
              onClick={() => {
                lower();
                closePanel(sessionId, panel.id);
              }}
            >
              <X size={15} />
            </IconButton>
          </div>
          <PanelBody key={panel.id} sessionId={sessionId} panel={panel} labelledBy={`sheet-${panel.id}`} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
