import { useNavigate, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { text } from '../i18n/text.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { openFind } from '../state/find-state.ts';
import { newSession } from '../state/new-session.ts';
import { showOverlay, useOverlay } from '../state/overlay.ts';
import { toggle } from '../state/panes.ts';
import { shareSession } from '../state/sharing.ts';
import type { Command } from '../state/shortcuts.ts';
import { shownBox } from '../state/shown-box.ts';
import { setTheme } from '../state/theme.ts';
import { useShortcuts } from '../state/use-shortcuts.ts';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { notify } from '../ui/toast.tsx';
import { nextAction, stepSession } from './go.ts';

const Palette = lazyDialog(async () => (await import('../features/palette/palette.tsx')).Palette);

const HelpSheet = lazyDialog(async () => (await import('./help-sheet.tsx')).default);

/** Every command of the app, by key or from the palette. */
export function Commands() {
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
        search: () => navigate({ to: '/search' }),
        settings: () => navigate({ to: '/settings' }),
        sessionsPane: () => toggle('left'),
        detailsPane: () => toggle('right'),
        composer: () => shownBox()?.focus(),
        find: () => (sessionId ? openFind(sessionId) : navigate({ to: '/search' })),
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
      {open === 'palette' && <Palette onClose={close} runCommand={run} />}
    </>
  );
}
