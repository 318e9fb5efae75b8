import { useEffect, useRef } from 'react';
import type { Action } from '../../contract/actions.ts';
import { useText } from '../i18n/text.ts';
import { useLive } from '../live/use-live.ts';

/** What waits for the person, on the tab and the app's icon; and as a notification where they asked for it. */
export function Attention() {
  const text = useText();
  const actions = useLive((state) => state.actions);
  const known = useRef<ReadonlyMap<string, Action>>(actions);
  const count = actions.size;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ${text('app.name')}` : text('app.name');
    const badge = navigator as Navigator & { setAppBadge?(count: number): Promise<void> };
    void badge.setAppBadge?.(count).catch(() => undefined);
  }, [count, text]);
  useEffect(() => {
    const fresh = [...actions.values()].filter(({ id }) => !known.current.has(id));
    known.current = actions;
    if (document.hidden) for (const action of fresh) tell(action);
  }, [actions]);
  return null;
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

function tell({ id, title, sessionId }: Action): void {
  if (!wantsNotifications()) return;
  const notice = new Notification(title, { tag: id, icon: '/icon.svg' });
  notice.onclick = () => {
    window.focus();
    location.assign(`/sessions/${sessionId}`);
  };
}
