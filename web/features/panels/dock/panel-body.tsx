import { useText } from '../../../i18n/panel-words.ts';
import type { OpenPanel } from '../../../state/panel-layout.ts';
import { useSlots } from '../../../state/slots.tsx';

interface Props {
  sessionId: string;
  panel: OpenPanel;
  labelledBy: string;
}

/** What an open panel shows. */
export function PanelBody({ sessionId, panel, labelledBy }: Props) {
  const text = useText();
  const { panels } = useSlots();
  const kind = panels.find(({ type }) => type === panel.type);
  return (
    <section
      role="tabpanel"
      id={`panel-${panel.id}`}
      aria-labelledby={labelledBy}
      tabIndex={-1}
      data-touch=""
      className="@container flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-bg outline-none"
    >
      {kind ? (
        <kind.Component key={panel.artifactId} sessionId={sessionId} panelId={panel.id} artifactId={panel.artifactId} />
      ) : (
        <p className="p-4 text-fg-2">{text('panel.unknown')}</p>
      )}
    </section>
  );
}
