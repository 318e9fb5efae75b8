import { useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Action } from '../../contract/actions.ts';
import { LazyActionCard } from '../features/actions/lazy-action-card.tsx';
import type { TextKey } from '../i18n/en.ts';
import { sessionTitle, useText } from '../i18n/text.ts';
import { nameOfAgent, useAgentName, useAgents } from '../live/use-agents.ts';
import { useLive, useLiveConnection, useSession } from '../live/use-live.ts';
import { actionTitle } from '../state/action-title.ts';
import { useMissingTitle } from '../state/missing-page.ts';
import { useNeedsYou } from '../state/needs-you.ts';
import { wantsNotifications } from '../state/notifications.ts';
import { notify } from '../ui/toast.tsx';

const PRELOAD_MS = 1500;

/** What waits for the person, on the tab and the app's icon; and as a notification where they asked for it. */
export function Attention() {
  useTitle();
  useNotifications();
  useToolSessions();
  useEffect(() => {
    const timer = setTimeout(() => void LazyActionCard.preload().catch(() => undefined), PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  return null;
}

/** What is open, and before it how many sessions wait: `(2) Plans · Parley`. */
function useTitle(): void {
  const text = useText();
  const count = useNeedsYou();
  const place = usePlaceName();
  useEffect(() => {
    const name = place ? `${place} · ${text('app.name')}` : text('app.name');
    document.title = count > 0 ? `(${count}) ${name}` : name;
  }, [count, place, text]);
  useEffect(() => {
    const badge = navigator as Navigator & { setAppBadge?(count: number): Promise<void> };
    void badge.setAppBadge?.(count).catch(() => undefined);
  }, [count]);
}

const PAGES: Readonly<Record<string, TextKey>> = {
  '/': 'nav.dashboard',
  '/search': 'nav.search',
  '/settings': 'nav.settings',
  '/schedules': 'nav.schedules',
  '/artifacts': 'nav.artifacts',
  '/artifacts/$artifactId': 'nav.artifacts',
  '/knowledge': 'nav.knowledge',
  '/knowledge/$sourceId': 'nav.knowledge',
  '/teams': 'nav.teams',
  '/teams/$teamId': 'nav.teams',
  '/webhooks': 'nav.webhooks',
  '/agents/new': 'dashboard.newAgent',
};

function usePlaceName(): string | undefined {
  const text = useText();
  const { sessionId } = useParams({ strict: false });
  const session = useSession(sessionId ?? '');
  const missing = useMissingTitle();
  const routeId = useRouterState({ select: ({ matches }) => matches.at(-1)?.routeId ?? '' });
  const { _splat: agentId } = useParams({ strict: false });
  const agentName = useAgentName(agentId ?? null);
  const page = PAGES[routeId];
  if (page) return text(page);
  if (agentId !== undefined) return agentName;
  if (sessionId === undefined) return text('page.notFound');
  return session ? sessionTitle(session.title) : (missing ?? undefined);
}

function useNotifications(): void {
  const actions = useLive((state) => state.actions);
  const agents = useAgents();
  const known = useRef<ReadonlyMap<string, Action>>(actions);
  useEffect(() => {
    const fresh = [...actions.values()].filter(({ id }) => !known.current.has(id));
    known.current = actions;
    if (document.hidden)
      for (const action of fresh) tell(action, actionTitle(action, nameOfAgent(agents, action.agentId)));
  }, [actions, agents]);
}

/** A tool that works in a session of its own is announced; the announcement closes when that session is opened. */
function useToolSessions(): void {
  const text = useText();
  const live = useLiveConnection();
  const navigate = useNavigate();
  const agents = useAgents();
  const { sessionId } = useParams({ strict: false });
  const shown = useRef(new Map<string, () => void>());
  useEffect(() => {
    shown.current.get(sessionId ?? '')?.();
    shown.current.delete(sessionId ?? '');
  }, [sessionId]);
  useEffect(
    () =>
      live.onToolSession(({ id, title, agentId }) => {
        if (document.hidden) return;
        const name = agentId === null ? '' : nameOfAgent(agents, agentId);
        const run = () => void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
        const close = notify({
          title: text('attention.opened', { name, title: sessionTitle(title) }),
          action: { label: text('conversation.openSession'), run },
        });
        shown.current.set(id, close);
      }),
    [live, navigate, agents, text],
  );
}

function tell({ id, sessionId }: Action, title: string): void {
  if (!wantsNotifications()) return;
  const notice = new Notification(title, { tag: id, icon: '/icon.svg' });
  notice.onclick = () => {
    window.focus();
    location.assign(`/sessions/${sessionId}`);
  };
}
