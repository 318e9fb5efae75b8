import { useState } from 'react';
import { WEBHOOK_EVENTS } from '../../../contract/webhook-events.ts';
import type { OutgoingWebhook, WebhookEvent } from '../../../contract/webhooks.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { SessionChoice } from '../../state/choices.tsx';
import { Check, FIELD_LINE, Field } from '../../ui/field.tsx';
import { EVENT_WORDS } from './event-words.ts';
import type { ShownSecret } from './secret-dialog.tsx';
import { NameField, WebhookDialog } from './webhook-dialog.tsx';

interface Props {
  /** Null: a new one. */
  webhook: OutgoingWebhook | null;
  onClose(secret: ShownSecret | null): void;
}

interface Draft {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Empty: all agents. */
  readonly agents: readonly string[];
  readonly sessionId: string;
  readonly texts: boolean;
}

const BLANK: Draft = { name: '', url: '', events: ['turn.settled'], agents: [], sessionId: '', texts: true };

function draftOf({ name, url, events, agents, sessionId, texts }: OutgoingWebhook): Draft {
  return { name, url, events, agents, sessionId: sessionId ?? '', texts };
}

function toFields({ name, url, events, agents, sessionId, texts }: Draft) {
  const lists = { events: [...events], agents: [...agents] };
  return { name: name.trim(), url: url.trim(), ...lists, sessionId: sessionId || null, texts };
}

export function OutgoingDialog({ webhook, onClose }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const [draft, setDraft] = useState(() => (webhook ? draftOf(webhook) : BLANK));
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const save = async (): Promise<ShownSecret | null> => {
    const body = toFields(draft);
    if (webhook) {
      await client.call('patchOutgoingWebhook', { outgoingId: webhook.id, body });
      return null;
    }
    const { secret } = await client.call('createOutgoingWebhook', { body });
    return { name: body.name, secret, address: null, isRenewed: false };
  };
  const isComplete = draft.name.trim() !== '' && draft.url.trim() !== '' && draft.events.length > 0;
  return (
    <WebhookDialog
      title={text(webhook ? 'webhooks.editTitle' : 'webhooks.newOut')}
      isComplete={isComplete}
      save={save}
      onClose={onClose}
    >
      <NameField value={draft.name} onChange={(name) => change({ name })} />
      <Field label={text('webhooks.url')}>
        {(control) => (
          <input
            {...control}
            required
            type="url"
            maxLength={2000}
            placeholder="https://"
            value={draft.url}
            spellCheck={false}
            onChange={({ target }) => change({ url: target.value })}
            className={FIELD_LINE}
          />
        )}
      </Field>
      <Events chosen={draft.events} onChange={(events) => change({ events })} />
      <Agents chosen={draft.agents} onChange={(agents) => change({ agents })} />
      <SessionChoice
        label={text('webhooks.session')}
        none={text('webhooks.sessionAny')}
        value={draft.sessionId}
        onChoose={(sessionId) => change({ sessionId })}
      />
      <Check isOn={draft.texts} onCheck={(texts) => change({ texts })}>
        {text('webhooks.texts')}
      </Check>
    </WebhookDialog>
  );
}

interface AgentsProps {
  chosen: readonly string[];
  onChange(agents: string[]): void;
}

/** Those that can be chosen, and those that were, though they are hidden or gone. */
function Agents({ chosen, onChange }: AgentsProps) {
  const text = useText();
  const agents = useAgents();
  const offered = agents.filter(({ agentId, uiVisible }) => uiVisible || chosen.includes(agentId));
  const gone = chosen.filter((agentId) => !agents.some((agent) => agent.agentId === agentId));
  const all = [...offered, ...gone.map((agentId) => ({ agentId, displayName: agentId }))];
  const set = (agentId: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, agentId] : chosen.filter((other) => other !== agentId));
  return (
    <fieldset>
      <legend className="mb-1 text-fg-2">
        {text(chosen.length === 0 ? 'webhooks.agentsAll' : 'webhooks.agentsSome', { count: chosen.length })}
      </legend>
      <div className="grid max-h-40 gap-x-3 gap-y-1 overflow-y-auto rounded-md border border-line p-2 sm:grid-cols-2">
        {all.map(({ agentId, displayName }) => (
          <Check key={agentId} isOn={chosen.includes(agentId)} onCheck={(isOn) => set(agentId, isOn)}>
            <span dir="auto" className="min-w-0 truncate">
              {displayName}
            </span>
          </Check>
        ))}
      </div>
    </fieldset>
  );
}

interface EventsProps {
  chosen: readonly WebhookEvent[];
  onChange(events: WebhookEvent[]): void;
}

function Events({ chosen, onChange }: EventsProps) {
  const text = useText();
  const set = (event: WebhookEvent, isOn: boolean) =>
    onChange(WEBHOOK_EVENTS.filter((one) => (one === event ? isOn : chosen.includes(one))));
  return (
    <fieldset>
      <legend className="mb-1 text-fg-2">{text('webhooks.events')}</legend>
      <div className="grid gap-x-3 gap-y-1 sm:grid-cols-2">
        {WEBHOOK_EVENTS.map((event) => (
          <Check key={event} isOn={chosen.includes(event)} onCheck={(isOn) => set(event, isOn)}>
            {text(EVENT_WORDS[event])}
          </Check>
        ))}
      </div>
    </fieldset>
  );
}
