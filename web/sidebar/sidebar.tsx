import { useText } from '../i18n/text.ts';
import { ResizeHandle } from './resize-handle.tsx';
import { Sheet } from './sheet.tsx';
import { SidebarBody, type SidebarProps } from './sidebar-body.tsx';
import { useIsNarrow } from './use-is-narrow.ts';
import { useWidth } from './width.ts';

/** The sessions: a pane beside the page, or a sheet over it where there is no room. */
export function Sidebar(props: SidebarProps) {
  const text = useText();
  const isNarrow = useIsNarrow();
  const width = useWidth();
  if (isNarrow) {
    return (
      <Sheet>
        <SidebarBody {...props} />
      </Sheet>
    );
  }
  return (
    <nav
      aria-label={text('nav.sessions')}
      className="relative flex min-h-0 flex-none flex-col border-r border-line bg-surface"
      style={{ width }}
    >
      <SidebarBody {...props} />
      <ResizeHandle width={width} />
    </nav>
  );
}
