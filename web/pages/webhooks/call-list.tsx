import { Link } from '@tanstack/react-router';
import type { IncomingWebhook, WebhookCall } from '../../../contract/webhooks.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Loaded } from '../../ui/page.tsx';
import { useLiveQuery } from './use-webhooks.ts';

/** The newest requests that a webhook has taken. */
export function CallList({ webhook: { id, name } }: { webhook: IncomingWebhook }) {
  const text = useText();
  const { client } = useLiveConnection();
  const calls = useLiveQuery(`calls ${id}`, () =>
    client.call('listWebhookCalls', { incomingId: id, query: { limit: 50 } }),
  );
  return (
    <section aria-label={text('webhooks.callsOf', { name })} className="mt-2">
      <Loaded query={calls}>
        {({ calls: list }) =>
          list.length === 0 ? (
            <p className="text-xs text-fg-3">{text('webhooks.noCalls')}</p>
          ) : (
            <ol className="divide-y divide-line border-y border-line text-xs">
              {list.map((call) => (
                <CallRow key={call.id} call={call} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}

function CallRow({ call: { createdAt, callerId, state, error, sessionId } }: { call: WebhookCall }) {
  const text = useText();
  const now = useNow();
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-1.5">
      <span className="w-28 text-fg-2">{relativeTime(createdAt, now)}</span>
      <span className="min-w-0 flex-1 basis-40">
        <span className={state === 'failed' ? 'text-danger' : ''}>{text(`webhooks.state.${state}`)}</span>
        <span className="block truncate text-fg-3">{error ?? callerId}</span>
      </span>
      {sessionId && (
        <Link to="/sessions/$sessionId" params={{ sessionId }} className="touch-link text-link hover:underline">
          {text('webhooks.openSession')}
        </Link>
      )}
    </li>
  );
}
