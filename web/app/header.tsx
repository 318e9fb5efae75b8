import { Link, useNavigate, useParams } from '@tanstack/react-router';
import {
  CalendarClock,
  Command,
  LayoutDashboard,
  Library,
  NotebookText,
  PanelLeft,
  PanelRight,
  Search,
  Settings,
  Users,
  Webhook,
} from 'lucide-react';
import { useText } from '../i18n/text.ts';
import type { LiveState } from '../live/live-state.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { inNeed, useNeedsYou, useWorking } from '../state/needs-you.ts';
import { showOverlay } from '../state/open-dialogs.ts';
import { openOrder, toSections } from '../state/order.ts';
import { toggle } from '../state/panes.ts';
import { spell } from '../state/shortcuts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { StatusDot } from '../ui/status-dot.tsx';

export function Header() {
  const text = useText();
  const waiting = useNeedsYou();
  // Only a session has details.
  const { sessionId } = useParams({ strict: false });
  return (
    <header className="flex h-(--header) flex-none items-center gap-1 border-b border-line bg-surface px-2">
      <IconButton label={text('nav.sessions')} onClick={() => toggle('left')}>
        <PanelLeft size={16} />
      </IconButton>
      <Link to="/" title={text('nav.dashboard')} className="grid h-11 min-w-11 place-items-center px-1 font-semibold">
        {text('app.name')}
      </Link>
      <Button
        look="plain"
        className="h-6 px-1.5 font-mono text-2xs text-fg-3 max-sm:hidden pointer-coarse:hidden"
        aria-label={`${text('keys.palette')}, ${spell('Mod+k')}`}
        title={text('keys.palette')}
        onClick={() => showOverlay('palette')}
      >
        {spell('Mod+k')}
      </Button>
      <nav className="ml-auto flex items-center gap-1" aria-label={text('app.name')}>
        <Working isSpare={waiting > 0} />
        {waiting > 0 && <Waiting count={waiting} />}
        <IconButton
          label={text('keys.palette')}
          className="pointer-fine:hidden pointer-none:hidden"
          onClick={() => showOverlay('palette')}
        >
          <Command size={16} />
        </IconButton>
        {/* Where there is little room, the name of the app is the way to the dashboard, and the others are below the sessions. */}
        <NavLink to="/" label={text('nav.dashboard')} icon={<LayoutDashboard size={16} />} isSpare />
        <NavLink to="/artifacts" label={text('nav.artifacts')} icon={<NotebookText size={16} />} isSpare />
        <NavLink to="/teams" label={text('nav.teams')} icon={<Users size={16} />} isSpare />
        <NavLink to="/knowledge" label={text('nav.knowledge')} icon={<Library size={16} />} isSpare />
        <NavLink to="/search" label={text('nav.search')} icon={<Search size={16} />} />
        <NavLink to="/schedules" label={text('nav.schedules')} icon={<CalendarClock size={16} />} isSpare />
        <NavLink to="/webhooks" label={text('nav.webhooks')} icon={<Webhook size={16} />} isSpare />
        <NavLink to="/settings" label={text('nav.settings')} icon={<Settings size={16} />} />
        {sessionId !== undefined && (
          <IconButton label={text('nav.details')} onClick={() => toggle('right')}>
            <PanelRight size={16} />
          </IconButton>
        )}
      </nav>
    </header>
  );
}

/** How many sessions are being worked in. `isSpare`: left out where there is little room. */
function Working({ isSpare }: { isSpare: boolean }) {
  const text = useText();
  const count = useWorking();
  if (count === 0) return null;
  const words = text('nav.working', { count });
  return (
    <span
      className={cx('flex items-center gap-1.5 px-1 text-xs whitespace-nowrap text-fg-3', isSpare && 'max-sm:hidden')}
    >
      <StatusDot status="working" label={words} />
      <span aria-hidden="true" className="sm:hidden">
        {count}
      </span>
      <span className="max-sm:hidden">{words}</span>
    </span>
  );
}

/** Leads to the session that has waited longest, then to the next. In few words where there is little room. */
function Waiting({ count }: { count: number }) {
  const text = useText();
  const live = useLiveConnection();
  const navigate = useNavigate();
  const { sessionId } = useParams({ strict: false });
  const go = () => {
    const next = nextAction(live.store.getState(), sessionId);
    if (next) void navigate({ to: '/sessions/$sessionId', params: { sessionId: next } });
  };
  const words = text('nav.needYou', { count });
  return (
    <Button look="plain" className="text-xs" aria-label={words} title={text('keys.nextAction')} onClick={go}>
      <span aria-hidden="true" className="contents sm:hidden">
        <StatusDot status="waiting" />
        {count}
      </span>
      <span className="max-sm:hidden">{words}</span>
    </Button>
  );
}

interface NavLinkProps {
  to: '/' | '/artifacts' | '/knowledge' | '/search' | '/schedules' | '/teams' | '/webhooks' | '/settings';
  label: string;
  icon: React.ReactNode;
  /** Left out where there is little room. */
  isSpare?: boolean;
}

function NavLink({ to, label, icon, isSpare = false }: NavLinkProps) {
  return (
    <Link
      to={to}
      aria-label={label}
      title={label}
      className={cx(
        'inline-grid size-7 place-items-center rounded-md text-fg-2 touch:size-11 hover:bg-hover hover:text-fg [&.active]:text-fg',
        isSpare && 'max-sm:hidden pointer-coarse:max-lg:hidden',
      )}
    >
      {icon}
    </Link>
  );
}

const NONE: ReadonlySet<string> = new Set();

/** The session before or after the one that is open, as the sidebar lists them, round and round. */
export function stepSession(
  { sessions, actions }: LiveState,
  current: string | undefined,
  step: 1 | -1,
): string | null {
  const ids = openOrder(toSections({ sessions, actions, hidden: NONE }));
  if (ids.length === 0) return null;
  const at = ids.indexOf(current ?? '');
  return ids[(at < 0 ? 0 : at + step + ids.length) % ids.length] ?? null;
}

/** The next session in which something waits for the person, the most urgent first. */
export function nextAction(state: LiveState, current: string | undefined): string | null {
  const ids = inNeed(state).map(({ id }) => id);
  return ids[(ids.indexOf(current ?? '') + 1) % ids.length] ?? null;
}
