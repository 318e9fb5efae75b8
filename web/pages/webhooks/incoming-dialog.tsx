import { useState } from 'react';
import type { SessionMode } from '../../../contract/sessions.ts';
import type { IncomingWebhook, WebhookSignature } from '../../../contract/webhooks.ts';
import { useText } from '../../i18n/webhook-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { AgentChoice, FolderField, SessionChoice } from '../../state/choices.tsx';
import { cx } from '../../ui/cx.ts';
import { Check, FIELD_BOX, FIELD_LINE, Field } from '../../ui/field.tsx';
import { addressOf, type ShownSecret } from './secret-dialog.tsx';
import { NameField, WebhookDialog } from './webhook-dialog.tsx';

interface Props {
  /** Null: a new one. */
  webhook: IncomingWebhook | null;
  onClose(secret: ShownSecret | null): void;
}

interface Draft {
  readonly name: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly folder: string;
  readonly mode: SessionMode;
  readonly template: string;
  readonly signature: WebhookSignature;
}

const BLANK: Draft = {
  name: '',
  agentId: '',
  sessionId: '',
  folder: '',
  mode: 'full',
  template: '',
  signature: 'standard',
};

function draftOf({ agentId, sessionId, folder, template, name, mode, signature }: IncomingWebhook): Draft {
  const words = { agentId: agentId ?? '', sessionId: sessionId ?? '', folder: folder ?? '', template: template ?? '' };
  return { name, mode, signature, ...words };
}

function toFields({ name, agentId, sessionId, folder, template, mode, signature }: Draft) {
  return {
    name: name.trim(),
    agentId: agentId || null,
    sessionId: sessionId || null,
    folder: folder.trim() || null,
    template: template.trim() === '' ? null : template,
    mode,
    signature,
  };
}

export function IncomingDialog({ webhook, onClose }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const [draft, setDraft] = useState(() => (webhook ? draftOf(webhook) : BLANK));
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const save = async (): Promise<ShownSecret | null> => {
    const body = toFields(draft);
    if (webhook) {
      await client.call('patchIncomingWebhook', { incomingId: webhook.id, body });
      return null;
    }
    const { webhook: made, secret } = await client.call('createIncomingWebhook', { body });
    return { name: made.name, secret, address: addressOf(made), isRenewed: false };
  };
  const isNewSession = draft.sessionId === '';
  return (
    <WebhookDialog
      title={text(webhook ? 'webhooks.editTitle' : 'webhooks.newIn')}
      isComplete={draft.name.trim() !== '' && (draft.agentId !== '' || !isNewSession)}
      save={save}
      onClose={onClose}
    >
      <NameField value={draft.name} hint={text('webhooks.nameHintIn')} onChange={(name) => change({ name })} />
      <div className="grid gap-3 sm:grid-cols-2">
        <SessionChoice
          label={text('webhooks.session')}
          none={text('webhooks.sessionNew')}
          value={draft.sessionId}
          onChoose={(sessionId) => change({ sessionId })}
        />
        <AgentChoice
          label={text('webhooks.agent')}
          none={text(isNewSession ? 'webhooks.choose' : 'webhooks.agentPrimary')}
          value={draft.agentId}
          required={isNewSession}
          onChoose={(agentId) => change({ agentId })}
        />
      </div>
      {isNewSession && (
        <div className="grid items-end gap-3 sm:grid-cols-2">
          <FolderField folder={draft.folder} onChange={(folder) => change({ folder })} />
          <Check isOn={draft.mode === 'read-only'} onCheck={(isOn) => change({ mode: isOn ? 'read-only' : 'full' })}>
            {text('rail.readOnly')}
          </Check>
        </div>
      )}
      <Template value={draft.template} onChange={(template) => change({ template })} />
      <Field label={text('webhooks.signature')}>
        {(control) => (
          <select
            {...control}
            value={draft.signature}
            onChange={({ target }) => change({ signature: target.value as WebhookSignature })}
            className={FIELD_LINE}
          >
            <option value="standard">{text('webhooks.signature.standard')}</option>
            <option value="github">{text('webhooks.signature.github')}</option>
          </select>
        )}
      </Field>
    </WebhookDialog>
  );
}

function Template({ value, onChange }: { value: string; onChange(template: string): void }) {
  const text = useText();
  return (
    <Field label={text('webhooks.template')} hint={text('webhooks.templateHint')}>
      {(control) => (
        <textarea
          {...control}
          rows={3}
          maxLength={20_000}
          dir="auto"
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={cx(FIELD_BOX, 'field-sizing-content max-h-[32vh] min-h-16 py-1 text-md')}
        />
      )}
    </Field>
  );
}
