import { deviceMemory } from './device-memory.ts';

const KEY = 'parley.notifications';

export function wantsNotifications(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted' && deviceMemory.getItem(KEY) === 'on';
}

/** Only ever asked because the person pressed something. */
export async function setNotifications(on: boolean): Promise<boolean> {
  if (!('Notification' in globalThis)) return false;
  const allowed = on && (await Notification.requestPermission()) === 'granted';
  deviceMemory.setItem(KEY, allowed ? 'on' : 'off');
  return allowed;
}
