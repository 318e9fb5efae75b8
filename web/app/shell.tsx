import { Outlet, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { CloudOff } from 'lucide-react';
import { useCallback } from 'react';
import { Sidebar } from '../features/sidebar/sidebar.tsx';
import { focusList } from '../features/sidebar/use-roving.ts';
import { text, useText } from '../i18n/text.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import { LeavingDialog } from '../markdown/leaving.tsx';
import { type FollowLink, OwnLinks } from '../markdown/own-links.ts';
import { openFind } from '../state/find-state.ts';
import { newSession } from '../state/new-session.ts';
import {
  ask,
  shareSession,
  showOverlay,
  stopSharing,
  useAsking,
  useOverlay,
  useSharing,
} from '../state/open-dialogs.ts';
import { loadPanels } from '../state/panels-loaded.ts';
import { toggle, usePanes } from '../state/panes.ts';
import { useSessionDeps } from '../state/session-deps.ts';
import { type Command, useShortcuts } from '../state/shortcuts.ts';
import { hideTemplates, useShowing } from '../state/templates.ts';
import { setTheme } from '../state/theme.ts';
import { Button } from '../ui/button.tsx';
import { focusPanels, shownBox } from '../ui/keyboard-focus.ts';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { notify, Toasts } from '../ui/toast.tsx';
import { Attention } from './attention.tsx';
import { Header, nextAction, stepSession } from './header.tsx';
import { TypeAhead } from './type-ahead.tsx';

/** Header, sessions on the left, and whatever page is open; a conversation brings its own right pane. */
export function Shell() {
  const text = useText();
  const { left } = usePanes();
  const follow = useFollowLink();
  return (
    <OwnLinks value={follow}>
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
    </OwnLinks>
  );
}

const PLACES = /^\/(?:artifacts|sessions|agents|knowledge)(?:\/|$)/;

/** Links to places of the app lead there; a list, note or view opens beside the session that is shown. */
function useFollowLink(): FollowLink {
  const live = useLiveConnection();
  const router = useRouter();
  const { sessionId } = useParams({ strict: false });
  return useCallback(
    (path) => {
      if (!PLACES.test(path)) return false;
      const artifactId = /^\/artifacts\/([\w-]+)$/.exec(path)?.[1];
      if (artifactId === undefined || sessionId === undefined) void router.navigate({ href: path });
      else void loadPanels().then(({ openArtifact }) => openArtifact(live, sessionId, artifactId));
      return true;
    },
    [live, router, sessionId],
  );
}

/** Only when something is wrong with the connection, and then what will happen. */
function ConnectionBanner() {
  const text = useText();
  const live = useLiveConnection();
  const connection = useLive((state) => state.connection);
  if (connection !== 'lost' && connection !== 'stopping') return null;
  return (
    <div className="flex flex-none flex-wrap items-center justify-center gap-x-3 gap-y-1 border-b border-danger/50 bg-danger/12 px-4 py-1.5">
      <p role="status" className="flex min-w-0 items-center gap-2 font-medium text-fg">
        <CloudOff size={15} aria-hidden="true" className="flex-none text-danger" />
        {text(connection === 'lost' ? 'app.offline' : 'app.stopping')}
      </p>
      {connection === 'lost' && <Button onClick={() => live.reconnect()}>{text('app.reconnect')}</Button>}
    </div>
  );
}

const Palette = lazyDialog(async () => (await import('../features/palette/palette.tsx')).Palette, TypeAhead);

const HelpSheet = lazyDialog(async () => (await import('./help-sheet.tsx')).default);

const ImportDialog = lazyDialog(async () => (await import('../features/imports/import-dialog.tsx')).ImportDialog);

/** Every command of the app, by key or from the palette. */
function Commands() {
  const live = useLiveConnection();
  const navigate = useNavigate();
  const { sessionId } = useParams({ strict: false });
  const open = useOverlay();
  const close = () => showOverlay(null);
  const run = useCallback(
    (command: Command) => {
      const show = (id: string | null) =>
        id && void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
      const verbs: Record<Command, () => unknown> = {
        palette: () => showOverlay('palette'),
        help: () => showOverlay('help'),
        newSession: () => newSession(live, navigate),
        previousSession: () => show(stepSession(live.store.getState(), sessionId, -1)),
        nextSession: () => show(stepSession(live.store.getState(), sessionId, 1)),
        nextAction: () => show(nextAction(live.store.getState(), sessionId)),
        dashboard: () => navigate({ to: '/' }),
        artifacts: () => navigate({ to: '/artifacts' }),
        search: () => navigate({ to: '/search' }),
        schedules: () => navigate({ to: '/schedules' }),
        knowledge: () => navigate({ to: '/knowledge' }),
        teams: () => navigate({ to: '/teams' }),
        webhooks: () => navigate({ to: '/webhooks' }),
        settings: () => navigate({ to: '/settings' }),
        sessionsPane: () => toggle('left'),
        detailsPane: () => toggle('right'),
        composer: () => shownBox()?.focus(),
        find: () => (sessionId ? openFind(sessionId) : navigate({ to: '/search' })),
        panels: focusPanels,
        share: () => (sessionId ? shareSession(sessionId) : notify({ title: text('share.openFirst') })),
        theme: () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'),
      };
      void verbs[command]();
    },
    [live, navigate, sessionId],
  );
  useShortcuts(run);
  return (
    <>
      {open === 'help' && <HelpSheet onClose={close} />}
      {open === 'import' && <ImportDialog onClose={close} />}
      {open === 'palette' && <Palette onClose={close} runCommand={run} />}
    </>
  );
}

const ShareDialog = lazyDialog(async () => (await import('../features/shares/share-dialog.tsx')).default);

/** Once in the app: loaded when a session is shared. */
function SharingHost() {
  const sessionId = useSharing();
  if (sessionId === null) return null;
  return <ShareDialog sessionId={sessionId} onClose={stopSharing} />;
}

const TemplatesDialog = lazyDialog(async () => (await import('../features/templates/templates-dialog.tsx')).default);

/** Once in the app: loaded when templates are opened or one is saved. */
function TemplatesHost() {
  const shown = useShowing();
  if (!shown) return null;
  return <TemplatesDialog sessionId={shown.sessionId} onClose={hideTemplates} />;
}

const SaveTeamDialog = lazyDialog(async () => (await import('../features/teams/save-team.tsx')).default);

const MoveDialog = lazyDialog(async () => (await import('../features/sidebar/session-dialogs.tsx')).MoveDialog);
const ClearDialog = lazyDialog(async () => (await import('../features/sidebar/session-dialogs.tsx')).ClearDialog);

const WorkspaceDialog = lazyDialog(async () => (await import('../features/rail/workspace-dialog.tsx')).WorkspaceDialog);

/** What has to be asked before something is done. Afterwards the keyboard is in the list again, where it is open. */
function SessionDialogs() {
  const deps = useSessionDeps();
  const asking = useAsking();
  if (!asking) return null;
  const close = () => {
    ask(null);
    requestAnimationFrame(focusList);
  };
  switch (asking.kind) {
    case 'move':
      return <MoveDialog ids={asking.ids} deps={deps} onClose={close} />;
    case 'clear':
      return <ClearDialog id={asking.id} deps={deps} onClose={close} />;
    case 'saveTeam':
      return <SaveTeamDialog sessionId={asking.id} onClose={() => ask(null)} />;
    case 'workspace':
      return <WorkspaceDialog sessionId={asking.id} onClose={() => ask(null)} />;
    default:
      return asking satisfies never;
  }
}
