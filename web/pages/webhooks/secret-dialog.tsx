import { useText } from '../../i18n/webhook-words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FIELD_LINE, Field } from '../../ui/field.tsx';
import { useCopy } from '../../ui/use-copy.ts';

/** A secret that is shown once, with the address that it belongs to. */
export interface ShownSecret {
  readonly name: string;
  readonly secret: string;
  /** Of an incoming webhook. */
  readonly address: string | null;
  /** Whether it takes the place of another one. */
  readonly isRenewed: boolean;
}

export function SecretDialog({ shown, onClose }: { shown: ShownSecret; onClose(): void }) {
  const text = useText();
  const { name, secret, address, isRenewed } = shown;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text('webhooks.secretTitle', { name })}
      footer={
        <Button look="primary" onClick={onClose}>
          {text('webhooks.secretClose')}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-fg-2">
          {text('webhooks.secretHint')} {isRenewed && text('webhooks.secretRenewed')}
        </p>
        <Copied label={text('webhooks.secret')} value={secret} />
        {address && <Copied label={text('webhooks.address')} value={address} hint={text('webhooks.addressHint')} />}
      </div>
    </Dialog>
  );
}

function Copied({ label, value, hint }: { label: string; value: string; hint?: string }) {
  const text = useText();
  const { copied, copy } = useCopy();
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <span className="flex gap-2">
          <input
            {...control}
            readOnly
            value={value}
            onFocus={({ target }) => target.select()}
            className={`${FIELD_LINE} min-w-0 font-mono text-xs`}
          />
          <Button aria-label={`${text('webhooks.copy')}: ${label}`} onClick={() => copy(value)}>
            {text(copied ? 'webhooks.copied' : 'webhooks.copy')}
          </Button>
        </span>
      )}
    </Field>
  );
}

/** Where requests go: as others reach the server, or as this page does. */
export function addressOf({ url, path }: { url: string | null; path: string }): string {
  return url ?? location.origin + path;
}
