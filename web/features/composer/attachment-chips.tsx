import { FileText, LoaderCircle, X } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { fileSize } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { type Attachment, detach, useAttachments } from './attachments.ts';

const PasteDialog = lazyDialog(async () => (await import('./paste-dialog.tsx')).PasteDialog);

interface Props {
  sessionId: string;
  box: RefObject<HTMLTextAreaElement | null>;
}

export function AttachmentChips({ sessionId, box }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const attachments = useAttachments(sessionId);
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={text('composer.attachments')} className="flex flex-wrap gap-1.5 px-3 pt-2.5">
      {attachments.map((one) => (
        <Chip key={one.key} attachment={one} onRemove={() => detach(client, sessionId, one)} box={box} />
      ))}
    </ul>
  );
}

interface ChipProps {
  attachment: Attachment;
  onRemove(): void;
  box: RefObject<HTMLTextAreaElement | null>;
}

function Chip({ attachment: { name, bytes, sent, pasted }, onRemove, box }: ChipProps) {
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
      {pasted === undefined ? (
        <span dir="auto" className="min-w-0 truncate">
          {name}
        </span>
      ) : (
        <PastedText name={name} text={pasted} box={box} onRemove={onRemove} />
      )}
      <span className="flex-none text-2xs text-fg-3">{fileSize(bytes)}</span>
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

interface PastedProps extends Omit<ChipProps, 'attachment'> {
  name: string;
  text: string;
}

/** A pasted text can be read, and made part of the message after all. */
function PastedText({ name, text: pasted, box, onRemove }: PastedProps) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={text('composer.paste.open', { name })}
        onClick={() => setOpen(true)}
        className="h-full min-w-0 truncate rounded-sm hover:underline"
      >
        {name}
      </button>
      {isOpen && <PasteDialog name={name} text={pasted} box={box} onRemove={onRemove} onClose={() => setOpen(false)} />}
    </>
  );
}
