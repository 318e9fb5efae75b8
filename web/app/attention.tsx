import { useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Action } from '../../contract/actions.ts';
import { actionTitle } from '../actions/action-title.ts';
import type { TextKey } from '../i18n/en.ts';
import { useText } from '../i18n/text.ts';
import { useAgents } from '../live/use-agents.ts';
import { useLive, useLiveConnection, useSession } from '../live/use-live.ts';
import { useNeedsYou } from '../sidebar/needs-you.ts';
import { notify } from '../ui/toast.tsx';

/** What waits for the person, on the tab and the app's icon; and as a notification where they asked for it. */
export function Attention() {
  useTitle();
  useNotifications();
  useToolSessions();
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

const PAGES: Readonly<Record<string, TextKey>> = { search: 'nav.search', settings: 'nav.settings' };

function usePlaceName(): string | undefined {
  const text = useText();
  const { sessionId } = useParams({ strict: false });
  const session = useSession(sessionId ?? '');
  const first = useRouterState({ select: ({ location }) => location.pathname.split('/')[1] ?? '' });
  const page = PAGES[first];
  return session?.title ?? (page && text(page));
}

function useNotifications(): void {
  const actions = useLive((state) => state.actions);
  const agents = useAgents();
  const known = useRef<ReadonlyMap<string, Action>>(actions);
  useEffect(() => {
    const fresh = [...actions.values()].filter(({ id }) => !known.current.has(id));
    known.current = actions;
    const nameOf = (id: string) => agents.find(({ agentId }) => agentId === id)?.displayName ?? id;
    if (document.hidden) for (const action of fresh) tell(action, actionTitle(action, nameOf(action.agentId)));
  }, [actions, agents]);
}

/** A tool that works in a session of its own says so in passing: the person goes there if they want to. */
function useToolSessions(): void {
  const text = useText();
  const live = useLiveConnection();
  const navigate = useNavigate();
  const agents = useAgents();
  useEffect(
    () =>
      live.onToolSession(({ id, title, agentId }) => {
        if (document.hidden) return;
        const name = agents.find((agent) => agent.agentId === agentId)?.displayName ?? agentId ?? '';
        const run = () => void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
        notify({
          title: text('attention.opened', { name, title }),
          action: { label: text('conversation.openSession'), run },
        });
      }),
    [live, navigate, agents, text],
  );
}

const KEY = 'parley.notifications';

export function wantsNotifications(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on';
}

/** Only ever asked because the person pressed something. */
export async function setNotifications(on: boolean): Promise<boolean> {
  if (!('Notification' in globalThis)) return false;
  const allowed = on && (await Notification.requestPermission()) === 'granted';
  localStorage.setItem(KEY, allowed ? 'on' : 'off');
  return allowed;
}

function tell({ id, sessionId }: Action, title: string): void {
  if (!wantsNotifications()) return;
  const notice = new Notification(title, { tag: id, icon: '/icon.svg' });
  notice.onclick = () => {
    window.focus();
    location.assign(`/sessions/${sessionId}`);
  };
}
