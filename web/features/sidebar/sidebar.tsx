import { useText } from '../../i18n/text.ts';
import { toggle, WIDE } from '../../state/panes.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { ResizeHandle } from './resize-handle.tsx';
import { SidebarBody } from './sidebar-body.tsx';
import { useWidth } from './width.ts';

/** The sessions: a pane beside the page, or a sheet over it where there is no room. */
export function Sidebar() {
  const text = useText();
  const isNarrow = useIsNarrow(WIDE.left);
  const width = useWidth();
  if (isNarrow) {
    return (
      <Sheet title={text('nav.sessions')} side="left" render={<nav />} onClose={() => toggle('left')}>
        <SidebarBody />
      </Sheet>
    );
  }
  return (
    <nav
      aria-label={text('nav.sessions')}
      className="relative flex min-h-0 flex-none flex-col border-r border-line bg-surface"
      style={{ width }}
    >
      <SidebarBody />
      <ResizeHandle width={width} />
    </nav>
  );
}
