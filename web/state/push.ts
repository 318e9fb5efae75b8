import type { ParleyClient } from '../../client/parley-client.ts';
import type { PushSubscription as Device } from '../../contract/push.ts';
import { language } from '../i18n/text.ts';
import { deviceMemory } from './device-memory.ts';

const KEY = 'parley.push-subscription';
const WORKER = '/push-worker.js';

/** Browsers offer push to pages from localhost or over HTTPS only. */
export function canBePushed(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

/** The subscription of this browser, as the server knows it. */
export function ownSubscriptionId(): string | null {
  return deviceMemory.getItem(KEY);
}

/** Null when the person does not allow notifications. Only ever asked because the person pressed something. */
export async function subscribeThisDevice(client: ParleyClient, name: string): Promise<Device | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const { publicKey } = await client.call('getPushKey');
  await navigator.serviceWorker.register(workerAddress() as string);
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that was made for another server's key would not be taken.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint, keys } = made.toJSON();
  const body = { endpoint: endpoint!, keys: keys as { p256dh: string; auth: string }, name, language: language() };
  const device = await client.call('subscribeToPush', { body });
  deviceMemory.setItem(KEY, device.id);
  return device;
}

/** Any device; this one's browser forgets its subscription, too. */
export async function unsubscribeDevice(client: ParleyClient, id: string): Promise<void> {
  await client.call('unsubscribeFromPush', { subscriptionId: id });
  if (id !== ownSubscriptionId()) return;
  deviceMemory.removeItem(KEY);
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

/** The policy of the page takes addresses of workers from this one policy only. */
function workerAddress(): unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('app-worker', { createScriptURL: () => WORKER });
  return policy ? policy.createScriptURL(WORKER) : WORKER;
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;
