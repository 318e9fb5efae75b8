import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { FilePart } from '../../../contract/files.ts';
import { fileSize } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { useFileAddress } from '../../ui/own-file.ts';
import { DownloadButton } from './download-button.tsx';

/** An image as large as there is room. A press on it, or Escape, brings the conversation back. */
export function ImageDialog({ file, onClose }: { file: FilePart; onClose(): void }) {
  const text = useText();
  const address = useFileAddress(file.fileId!);
  const { name, bytes } = file;
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/60" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 flex max-h-[94vh] max-w-[96vw] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-lg border border-line-strong bg-raised shadow-float">
          <header className="flex items-center gap-1 border-b border-line py-1 pr-1 pl-3">
            <Dialog.Title className="min-w-0 flex-1 truncate font-medium">{name}</Dialog.Title>
            <span className="flex-none px-1 text-xs text-fg-3">{fileSize(bytes)}</span>
            <DownloadButton fileId={file.fileId!} name={name} className="size-7" />
            <Dialog.Close render={<IconButton label={text('action.close')} />}>
              <X size={15} />
            </Dialog.Close>
          </header>
          <img src={address} alt={name} className="min-h-24 min-w-40 max-h-[calc(94vh-44px)] object-contain" />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
