import { Outlet } from '@tanstack/react-router';
import { SharingHost } from '../features/shares/sharing-host.tsx';
import { SessionDialogs } from '../features/sidebar/dialogs.tsx';
import { Sidebar } from '../features/sidebar/sidebar.tsx';
import { TemplatesHost } from '../features/templates/templates-host.tsx';
import { useText } from '../i18n/text.ts';
import { LeavingDialog } from '../markdown/leaving.tsx';
import { usePanes } from '../state/panes.ts';
import { Toasts } from '../ui/toast.tsx';
import { Attention } from './attention.tsx';
import { Commands } from './commands.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Header } from './header.tsx';

/** Header, sessions on the left, and whatever page is open; a conversation brings its own right pane. */
export function Shell() {
  const text = useText();
  const { left } = usePanes();
  return (
    <div className="flex h-full flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2"
      >
        {text('nav.skip')}
      </a>
      <Header />
      <ConnectionBanner />
      <div className="flex min-h-0 flex-1">
        {left && <Sidebar />}
        <div id="main" className="flex min-w-0 flex-1" tabIndex={-1}>
          <Outlet />
        </div>
      </div>
      <Commands />
      <Attention />
      <LeavingDialog />
      <SharingHost />
      <SessionDialogs />
      <TemplatesHost />
      <Toasts />
    </div>
  );
}
