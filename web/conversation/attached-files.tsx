import { Download, FileText } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { FilePart } from '../../contract/files.ts';
import type { Part } from '../../contract/messages.ts';
import { useText } from '../i18n/text.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { cx } from '../ui/cx.ts';
import { fileSize } from './file-size.ts';

const ImageDialog = lazy(async () => ({ default: (await import('./image-dialog.tsx')).ImageDialog }));

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
  return isShown ? (
    <Thumbnail file={file} isAlone={isAlone} onBroken={() => setBroken(true)} />
  ) : (
    <FileChip file={file} />
  );
}

function Thumbnail({ file, isAlone, onBroken }: { file: FilePart; isAlone: boolean; onBroken(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
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
          src={client.fileUrl(file.fileId!)}
          alt={file.name}
          decoding="async"
          onError={onBroken}
          className={cx('size-full', isAlone ? 'object-contain' : 'object-cover')}
        />
      </button>
      {isOpen && (
        <Suspense>
          <ImageDialog file={file} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function FileChip({ file: { fileId, name, bytes } }: { file: FilePart }) {
  const text = useText();
  const { client } = useLiveConnection();
  return (
    <span className="flex h-8 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface pl-2 text-xs">
      <FileText size={14} className="flex-none text-fg-3" aria-hidden="true" />
      <span className="min-w-0 truncate" title={name}>
        {name}
      </span>
      <span className="flex-none pr-2 text-2xs text-fg-3">{fileSize(bytes)}</span>
      {fileId === null ? (
        <span className="flex-none pr-2 text-2xs text-fg-3">{text('message.fileElsewhere')}</span>
      ) : (
        <a
          href={client.fileUrl(fileId, { download: true })}
          download={name}
          aria-label={text('message.download', { name })}
          title={text('message.download', { name })}
          className="grid size-8 flex-none place-items-center rounded-md text-fg-2 hover:bg-hover hover:text-fg"
        >
          <Download size={14} />
        </a>
      )}
    </span>
  );
}
