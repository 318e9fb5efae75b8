import { Copy } from 'lucide-react';
import type { IncomingWebhook } from '../../../contract/webhooks.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';
import { copyText } from '../../ui/use-copy.ts';
import { CallList } from './call-list.tsx';
import { addressOf, type ShownSecret } from './secret-dialog.tsx';
import { WebhookRow } from './webhook-row.tsx';

interface Props {
  webhook: IncomingWebhook;
  onEdit(): void;
  onSecret(secret: ShownSecret): void;
}

export function IncomingRow({ webhook, onEdit, onSecret }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const { id, name } = webhook;
  const params = { incomingId: id };
  const address = addressOf(webhook);
  const copy = async () => notify({ title: (await copyText(address)) ? text('webhooks.copied') : address });
  return (
    <WebhookRow
      webhook={webhook}
      address={address}
      about={<About webhook={webhook} />}
      ownVerb={
        <IconButton label={text('webhooks.copyAddressOf', { name })} onClick={() => void copy()}>
          <Copy size={14} />
        </IconButton>
      }
      historyLabel={text('webhooks.callsOf', { name })}
      history={<CallList webhook={webhook} />}
      verbs={{
        pause: () => client.call('pauseIncomingWebhook', params),
        resume: () => client.call('resumeIncomingWebhook', params),
        delete: () => client.call('deleteIncomingWebhook', params),
        renew: () => client.call('renewIncomingSecret', params),
      }}
      consequence={text('webhooks.deleteIncoming')}
      onEdit={onEdit}
      onRenewed={(secret) => onSecret({ name, secret, address, isRenewed: true })}
    />
  );
}

function About({ webhook: { agentId, sessionId, folder, mode, lastCall, lastRefused } }: { webhook: IncomingWebhook }) {
  const text = useText();
  const now = useNow();
  const agent = useAgentName(agentId);
  const facts = [
    ...(agentId ? [agent] : []),
    ...(sessionId ? [] : [text('webhooks.sessionNew')]),
    ...(sessionId || !folder ? [] : [folder]),
    ...(sessionId || mode === 'full' ? [] : [text('rail.readOnly')]),
    ...(lastCall ? [text('webhooks.last', { when: relativeTime(lastCall.createdAt, now) })] : []),
  ];
  return (
    <>
      {facts.join(' · ')}
      {lastRefused && (
        <span className="block text-danger">
          {text('webhooks.lastRefused', { when: relativeTime(lastRefused.at, now), reason: lastRefused.reason })}
        </span>
      )}
    </>
  );
}
