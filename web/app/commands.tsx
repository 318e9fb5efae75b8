import { useNavigate, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { shownBox } from '../composer/shown-box.ts';
import { openFind } from '../conversation/find/find-state.ts';
import { text } from '../i18n/text.ts';
import type { Command } from '../keys/shortcuts.ts';
import { useShortcuts } from '../keys/use-shortcuts.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { shareSession } from '../shares/sharing.ts';
import { newSession } from '../sidebar/new-session.ts';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { notify } from '../ui/toast.tsx';
import { nextAction, stepSession } from './go.ts';
import { showOverlay, useOverlay } from './overlay.ts';
import { toggle } from './panes.ts';
import { setTheme } from './theme.ts';

const Palette = lazyDialog(async () => (await import('../palette/palette.tsx')).Palette);

const HelpSheet = lazyDialog(async () => (await import('../keys/help-sheet.tsx')).default);

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
