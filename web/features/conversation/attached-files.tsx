import { FileText } from 'lucide-react';
import { useState } from 'react';
import type { FilePart } from '../../../contract/files.ts';
import type { Part } from '../../../contract/messages.ts';
import { fileSize } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { SafeLink } from '../../markdown/safe-link.tsx';
import { artifactPath } from '../../state/artifact-links.ts';
import { cx } from '../../ui/cx.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { useFileAddress } from '../../ui/own-file.ts';
import { DownloadButton } from './download-button.tsx';

const ImageDialog = lazyDialog(async () => (await import('./image-dialog.tsx')).ImageDialog);

/** Images small, to be looked at; everything else by its name. Each has its size before it is loaded, so nothing jumps. */
export function AttachedFiles({ parts, align }: { parts: readonly Part[]; align: 'start' | 'end' }) {
  const text = useText();
  const files = parts.filter((part): part is FilePart => part.type === 'file');
  if (files.length === 0) return null;
  return (
    <ul
      aria-label={text('message.files')}
      className={cx('my-1 flex max-w-full flex-wrap gap-2', align === 'end' && 'justify-end')}
    >
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message do not move
        <li key={index} className="min-w-0">
          <AttachedFile file={file} isAlone={files.length === 1} />
        </li>
      ))}
    </ul>
  );
}

function AttachedFile({ file, isAlone }: { file: FilePart; isAlone: boolean }) {
  const [isBroken, setBroken] = useState(false);
  const isShown = file.kind === 'image' && file.fileId !== null && !isBroken;
  return (
    <>
      {isShown && <Thumbnail file={file} isAlone={isAlone} onBroken={() => setBroken(true)} />}
      {(!isShown || file.artifactId !== undefined) && <FileChip file={file} />}
    </>
  );
}

function Thumbnail({ file, isAlone, onBroken }: { file: FilePart; isAlone: boolean; onBroken(): void }) {
  const text = useText();
  const address = useFileAddress(file.fileId!, onBroken);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={text('message.openImage', { name: file.name })}
        onClick={() => setOpen(true)}
        className={cx(
          'block max-w-full overflow-hidden rounded-lg border border-line bg-surface hover:border-line-strong',
          isAlone ? 'h-45 w-60' : 'size-36',
        )}
      >
        <img
          src={address}
          alt={file.name}
          decoding="async"
          onError={onBroken}
          className={cx('size-full', isAlone ? 'object-contain' : 'object-cover')}
        />
      </button>
      {isOpen && <ImageDialog file={file} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What an agent made as a file of its own opens beside the conversation, as it is now. */
function FileChip({ file: { fileId, name, bytes, artifactId } }: { file: FilePart }) {
  const text = useText();
  return (
    <span className="flex h-8 max-w-full items-center gap-1.5 touch:h-12 rounded-md border border-line bg-surface pl-2 text-xs">
      <FileText size={14} className="flex-none text-fg-3" aria-hidden="true" />
      <span
        className="min-w-0 truncate [&_a]:text-link [&_a]:underline touch:[&_a]:block touch:[&_a]:min-w-11 touch:[&_a]:truncate touch:[&_a]:py-3.5"
        title={name}
      >
        {artifactId === undefined ? (
          name
        ) : (
          <SafeLink href={artifactPath(artifactId)} words={name}>
            {name}
          </SafeLink>
        )}
      </span>
      <span className="flex-none pr-2 text-2xs text-fg-3">{fileSize(bytes)}</span>
      {fileId === null ? (
        <span className="flex-none pr-2 text-2xs text-fg-3">{text('message.fileElsewhere')}</span>
      ) : (
        <DownloadButton fileId={fileId} name={name} />
      )}
    </span>
  );
}
