import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PushSubscription as Device } from '../../../contract/push.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/page-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { canBePushed, ownSubscriptionId, subscribeThisDevice, unsubscribeDevice } from '../../state/push.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Loaded } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';

/** Devices that are notified also when no page is open. */
export function PushDevices() {
  const text = useText();
  const { client } = useLiveConnection();
  const queryFn = () => client.call('listPushSubscriptions');
  const devices = useQuery({ queryKey: ['push-subscriptions'], queryFn, staleTime: 0 });
  return (
    <div className="mt-3">
      <h3 className="mb-1 font-medium">{text('settings.push')}</h3>
      <p className="mb-2 max-w-[62ch] text-fg-2">{text(canBePushed() ? 'settings.pushHint' : 'settings.pushUnable')}</p>
      <Loaded query={devices}>
        {({ subscriptions: list }) => (
          <>
            {list.length > 0 && (
              <ul
                aria-label={text('settings.push')}
                className="mb-2 divide-y divide-line rounded-lg border border-line bg-surface"
              >
                {list.map((device) => (
                  <DeviceRow key={device.id} device={device} />
                ))}
              </ul>
            )}
            {canBePushed() && !list.some(({ id }) => id === ownSubscriptionId()) && <AddDevice />}
          </>
        )}
      </Loaded>
    </div>
  );
}

function AddDevice() {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    await attempt(async () => {
      const added = await subscribeThisDevice(client, deviceName(navigator.userAgent));
      if (!added) notify({ title: text('settings.notifyDenied') });
    });
    setBusy(false);
  };
  return (
    <Button disabled={isBusy} onClick={() => void add()}>
      {text('settings.pushAdd')}
    </Button>
  );
}

function DeviceRow({ device }: { device: Device }) {
  const text = useText();
  const now = useNow();
  const { client } = useLiveConnection();
  const attempt = useAttempt();
  const { id, name, lastSentAt, problem } = device;
  const test = () => attempt(() => client.call('testPush', { subscriptionId: id }));
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="min-w-0 flex-1">
        {name} {id === ownSubscriptionId() && <Badge>{text('settings.thisBrowser')}</Badge>}
        <span className="block text-xs text-fg-3">
          {lastSentAt ? text('settings.pushLast', { when: relativeTime(lastSentAt, now) }) : text('settings.pushNever')}
        </span>
        {problem && <span className="block text-xs text-danger">{problem}</span>}
      </span>
      <Button aria-label={text('settings.pushTestOf', { name })} onClick={() => void test()}>
        {text('settings.pushTest')}
      </Button>
      <Button
        look="danger"
        aria-label={text('settings.pushRemoveOf', { name })}
        onClick={() => void attempt(() => unsubscribeDevice(client, id))}
      >
        {text('settings.pushRemove')}
      </Button>
    </li>
  );
}

function useAttempt(): (work: () => Promise<unknown>) => Promise<void> {
  const queries = useQueryClient();
  return async (work) => {
    await work().catch((error: Error) => void notify({ title: error.message }));
    await queries.invalidateQueries({ queryKey: ['push-subscriptions'] });
  };
}

const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Mac', 'Windows', 'Linux'];
const BROWSERS = ['Edg', 'Firefox', 'Chrome', 'Safari'];

/** `Chrome on Android`: enough to tell a person's devices apart. */
function deviceName(userAgent: string): string {
  const find = (names: readonly string[]) => names.find((name) => userAgent.includes(name));
  const browser = find(BROWSERS) ?? 'Browser';
  return [browser === 'Edg' ? 'Edge' : browser, find(SYSTEMS)].filter(Boolean).join(' on ');
}
