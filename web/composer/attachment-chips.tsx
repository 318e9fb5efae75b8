import { FileText, LoaderCircle, X } from 'lucide-react';
import { useText } from '../i18n/text.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { type Attachment, detach, useAttachments } from './attachments.ts';

export function AttachmentChips({ sessionId }: { sessionId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attachments = useAttachments(sessionId);
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={text('composer.attachments')} className="flex flex-wrap gap-1.5 px-3 pt-2.5">
      {attachments.map((one) => (
        <Chip key={one.key} attachment={one} onRemove={() => detach(client, sessionId, one)} />
      ))}
    </ul>
  );
}

function Chip({ attachment: { name, bytes, sent }, onRemove }: { attachment: Attachment; onRemove(): void }) {
  const text = useText();
  return (
    <li className="flex h-7 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface pl-2">
      {sent ? (
        <FileText size={14} className="flex-none text-fg-3" />
      ) : (
        <LoaderCircle
          size={14}
          className="flex-none animate-spin text-fg-3"
          role="img"
          aria-label={text('composer.attach.sending')}
        />
      )}
      <span className="min-w-0 truncate">{name}</span>
      <span className="flex-none text-2xs text-fg-3">
        {text('composer.kilobytes', { count: Math.ceil(bytes / 1000) })}
      </span>
      <button
        type="button"
        aria-label={text('composer.attach.remove', { name })}
        onClick={onRemove}
        className="grid size-7 flex-none place-items-center rounded-md text-fg-3 hover:bg-hover hover:text-fg"
      >
        <X size={13} />
      </button>
    </li>
  );
}
