import { Link } from '@tanstack/react-router';
import { CalendarClock, Library, NotebookText, Users, Webhook } from 'lucide-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useText } from '../../i18n/text.ts';
import { recall, remember } from '../../state/device-memory.ts';
import { closeOverlays, toggle, WIDE } from '../../state/panes.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { useIsNarrow } from '../../ui/use-media.ts';
import { SidebarBody } from './sidebar-body.tsx';

/** The sessions: a pane beside the page, or a sheet over it where there is no room. */
export function Sidebar() {
  const text = useText();
  const isNarrow = useIsNarrow(WIDE.left);
  const width = useWidth();
  if (isNarrow) {
    return (
      <Sheet title={text('nav.sessions')} side="left" render={<nav />} onClose={() => toggle('left')}>
        <SidebarBody />
        <Places />
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
      <Places />
      <ResizeHandle width={width} />
    </nav>
  );
}

const PLACES = [
  { to: '/artifacts', label: 'nav.artifacts', Icon: NotebookText },
  { to: '/knowledge', label: 'nav.knowledge', Icon: Library },
  { to: '/schedules', label: 'nav.schedules', Icon: CalendarClock },
  { to: '/teams', label: 'nav.teams', Icon: Users },
  { to: '/webhooks', label: 'nav.webhooks', Icon: Webhook },
] as const;

/** The pages that a narrow header has no room for. */
function Places() {
  const text = useText();
  return (
    <div className="hidden flex-none grid-cols-2 border-t border-line max-sm:grid pointer-coarse:max-lg:grid">
      {PLACES.map(({ to, label, Icon }) => (
        <Link
          key={to}
          to={to}
          onClick={closeOverlays}
          className="flex min-h-11 items-center gap-2 px-3 text-fg-2 hover:bg-hover [&.active]:text-fg"
        >
          <Icon size={15} aria-hidden="true" />
          {text(label)}
        </Link>
      ))}
    </div>
  );
}

const STEP = 8;
const LARGE_STEP = 32;

/** Pulled with the pointer or moved with the arrow keys; a double click gives back the usual width. */
function ResizeHandle({ width }: { width: number }) {
  const text = useText();
  const pull = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    setWidth(event.clientX - event.currentTarget.parentElement!.getBoundingClientRect().left);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={text('sidebar.resize')}
      aria-valuenow={width}
      aria-valuemin={WIDTH.least}
      aria-valuemax={WIDTH.most}
      title={text('sidebar.resize')}
      className="absolute inset-y-0 -right-1 z-10 w-2 cursor-col-resize touch-none outline-none after:absolute after:inset-y-0 after:left-1/2 after:w-0.5 after:-translate-x-1/2 hover:after:bg-line-strong focus-visible:after:bg-accent"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={pull}
      onPointerUp={keepWidth}
      onDoubleClick={() => move(WIDTH.usual)}
      onKeyDown={(event) => onKey(event, width)}
    />
  );
}

function onKey(event: KeyboardEvent, width: number): void {
  const step = event.shiftKey ? LARGE_STEP : STEP;
  const next: Record<string, number> = {
    ArrowLeft: width - step,
    ArrowRight: width + step,
    Home: WIDTH.least,
    End: WIDTH.most,
    Enter: WIDTH.usual,
  };
  const px = next[event.key];
  if (px === undefined) return;
  event.preventDefault();
  move(px);
}

function move(px: number): void {
  setWidth(px);
  keepWidth();
}

const KEY = 'parley.sidebar.width';

const WIDTH = { least: 200, most: 420, usual: 264 };

const width = createStore<{ px: number }>()(() => ({ px: within(Number(recall(KEY, WIDTH.usual))) }));

function useWidth(): number {
  return useStore(width, ({ px }) => px);
}

function setWidth(px: number): void {
  width.setState({ px: within(px) });
}

/** What holds is what it was when one let go. */
function keepWidth(): void {
  remember(KEY, width.getState().px);
}

function within(px: number): number {
  return Math.round(Math.min(WIDTH.most, Math.max(WIDTH.least, px || WIDTH.usual)));
}
