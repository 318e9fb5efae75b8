import { useState } from 'react';
import type { TextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.ts';
import { setNotifications, wantsNotifications } from '../../state/notifications.ts';
import { Section } from '../../ui/page.tsx';
import { Switch } from './choice.tsx';

/** The browser is asked only when the person has asked for it. */
export function NotificationSettings() {
  const text = useText();
  const [on, setOn] = useState(wantsNotifications);
  const obstacle = whyNot();
  return (
    <Section id="notifications" title={text('settings.notifications')} hint={text('settings.notificationsHint')}>
      <Switch
        label={text('settings.notify')}
        checked={on}
        disabled={obstacle !== null}
        onChange={(wanted) => void setNotifications(wanted).then(setOn)}
      />
      {obstacle && <p className="text-fg-2">{text(obstacle)}</p>}
    </Section>
  );
}

function whyNot(): TextKey | null {
  if (!('Notification' in globalThis)) return 'settings.notifyUnable';
  return Notification.permission === 'denied' ? 'settings.notifyDenied' : null;
}
