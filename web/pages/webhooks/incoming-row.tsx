import { Copy, History } from 'lucide-react';
import { useState } from 'react';
import type { IncomingWebhook } from '../../../contract/webhooks.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';
import { copyText } from '../../ui/use-copy.ts';
import { CallList } from './call-list.tsx';
import { RowVerbs, StateBadge } from './row-parts.tsx';
import { addressOf, type ShownSecret } from './secret-dialog.tsx';
import { useWebhookVerb } from './use-webhooks.ts';

interface Props {
  webhook: IncomingWebhook;
  onEdit(): void;
  onSecret(secret: ShownSecret): void;
}

export function IncomingRow({ webhook, onEdit, onSecret }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useWebhookVerb();
  const [isOpen, setOpen] = useState(false);
  const { id, name, state, disabledBecause } = webhook;
  const params = { incomingId: id };
  const address = addressOf(webhook);
  const renew = async () => {
    const renewed = await attempt(() => client.call('renewIncomingSecret', params));
    if (renewed) onSecret({ name, secret: renewed.secret, address, isRenewed: true });
  };
  const copy = async () => notify({ title: (await copyText(address)) ? text('webhooks.copied') : address });
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <h3 className="font-medium" dir="auto">
            {name}
          </h3>
          <p className="truncate text-xs text-fg-2">{address}</p>
          <p className="text-xs text-fg-3">
            <About webhook={webhook} /> <StateBadge state={state} because={disabledBecause} />
          </p>
        </div>
        <span className="flex flex-none flex-wrap gap-0.5">
          <IconButton label={text('webhooks.copyAddressOf', { name })} onClick={() => void copy()}>
            <Copy size={14} />
          </IconButton>
          <IconButton
            label={text('webhooks.callsOf', { name })}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <History size={15} />
          </IconButton>
          <RowVerbs
            name={name}
            state={state}
            consequence={text('webhooks.deleteIncoming')}
            onPause={() => void attempt(() => client.call('pauseIncomingWebhook', params))}
            onResume={() => void attempt(() => client.call('resumeIncomingWebhook', params))}
            onRenew={() => void renew()}
            onEdit={onEdit}
            onDelete={() => void attempt(() => client.call('deleteIncomingWebhook', params))}
          />
        </span>
      </div>
      {isOpen && <CallList webhook={webhook} />}
    </li>
  );
}

function About({ webhook: { agentId, sessionId, lastCall, lastRefused } }: { webhook: IncomingWebhook }) {
  const text = useText();
  const now = useNow();
  const agent = useAgentName(agentId);
  const facts = [
    ...(agentId ? [agent] : []),
    ...(sessionId ? [] : [text('webhooks.sessionNew')]),
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
