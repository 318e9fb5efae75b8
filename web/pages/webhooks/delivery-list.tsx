import type { OutgoingWebhook, WebhookDelivery } from '../../../contract/webhooks.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/page.tsx';
import { EVENT_WORDS } from './event-words.ts';
import { useLiveQuery, useWebhookVerb } from './use-webhooks.ts';

/** The newest deliveries of a webhook. */
export function DeliveryList({ webhook: { id, name } }: { webhook: OutgoingWebhook }) {
  const text = useText();
  const { client } = useLiveConnection();
  const deliveries = useLiveQuery(`deliveries ${id}`, () =>
    client.call('listWebhookDeliveries', { outgoingId: id, query: { limit: 50 } }),
  );
  return (
    <section aria-label={text('webhooks.deliveriesOf', { name })} className="mt-2">
      <Loaded query={deliveries}>
        {({ deliveries: list }) =>
          list.length === 0 ? (
            <p className="text-xs text-fg-3">{text('webhooks.noDeliveries')}</p>
          ) : (
            <ol className="divide-y divide-line border-y border-line text-xs">
              {list.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}

function DeliveryRow({ delivery }: { delivery: WebhookDelivery }) {
  const text = useText();
  const now = useNow();
  const { client } = useLiveConnection();
  const attempt = useWebhookVerb();
  const { id, webhookId, event, state, createdAt, body, response } = delivery;
  const params = { outgoingId: webhookId, deliveryId: id };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
      <details className="min-w-0 flex-1 basis-64">
        <summary className="flex min-h-6 cursor-default flex-wrap items-center gap-x-3 touch:min-h-11">
          <span className="w-28 text-fg-2">{relativeTime(createdAt, now)}</span>
          <span>{text(EVENT_WORDS[event])}</span>
          <span className={state === 'failed' ? 'text-danger' : 'text-fg-2'}>
            <Outcome delivery={delivery} />
          </span>
        </summary>
        {body && <Words>{pretty(body)}</Words>}
        {response && <Words>{response}</Words>}
      </details>
      {body && state !== 'pending' && (
        <Button onClick={() => void attempt(() => client.call('redeliverWebhook', params))}>
          {text('webhooks.delivery')}
        </Button>
      )}
    </li>
  );
}

function Outcome({ delivery: { state, status, error, attempts, nextAt, durationMs } }: { delivery: WebhookDelivery }) {
  const text = useText();
  const now = useNow();
  const facts = [
    text(`webhooks.state.${state}`),
    ...(error ? [error] : status === null ? [] : [`HTTP ${status}`]),
    ...(attempts > 1 ? [text('webhooks.attempts', { count: attempts })] : []),
    ...(state === 'delivered' && durationMs !== null ? [text('webhooks.duration', { ms: durationMs })] : []),
    ...(nextAt && attempts > 0 ? [text('webhooks.nextAttempt', { when: relativeTime(nextAt, now) })] : []),
  ];
  return facts.join(' · ');
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}

function Words({ children }: { children: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="mt-1 max-h-64 overflow-auto rounded-md border border-line bg-bg p-2 font-mono text-2xs whitespace-pre-wrap text-fg-2"
    >
      {children}
    </pre>
  );
}
