import { Link } from '@tanstack/react-router';
import { LayoutDashboard, PanelLeft, PanelRight, Search, Settings } from 'lucide-react';
import { useText } from '../i18n/text.ts';
import { useNeedsYou } from '../sidebar/needs-you.ts';
import { IconButton } from '../ui/button.tsx';
import { toggle } from './panes.ts';

export function Header() {
  const text = useText();
  const waiting = useNeedsYou();
  return (
    <header className="flex h-(--header) flex-none items-center gap-1 border-b border-line bg-surface px-2">
      <IconButton label={text('nav.sessions')} onClick={() => toggle('left')}>
        <PanelLeft size={16} />
      </IconButton>
      <Link to="/" className="px-1 font-semibold">
        {text('app.name')}
      </Link>
      <nav className="ml-auto flex items-center gap-1" aria-label={text('app.name')}>
        {waiting > 0 && <span className="px-2 text-xs text-fg-2">{text('nav.needYou', { count: waiting })}</span>}
        <NavLink to="/" label={text('nav.dashboard')} icon={<LayoutDashboard size={16} />} />
        <NavLink to="/search" label={text('nav.search')} icon={<Search size={16} />} />
        <NavLink to="/settings" label={text('nav.settings')} icon={<Settings size={16} />} />
        <IconButton label={text('nav.details')} onClick={() => toggle('right')}>
          <PanelRight size={16} />
        </IconButton>
      </nav>
    </header>
  );
}

function NavLink({ to, label, icon }: { to: '/' | '/search' | '/settings'; label: string; icon: React.ReactNode }) {
  return (
    <Link
      to={to}
      aria-label={label}
      title={label}
      className="inline-grid size-7 place-items-center rounded-md text-fg-2 hover:bg-hover hover:text-fg [&.active]:text-fg"
    >
      {icon}
    </Link>
  );
}
