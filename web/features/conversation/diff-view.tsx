import { ChevronRight, FileDiff } from 'lucide-react';
import { useState } from 'react';
import type { ChangedFile, DiffPart } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { cx } from '../../ui/cx.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';

const FilePatch = lazyPart(async () => (await import('./file-patch.tsx')).FilePatch);

/** What a turn changed in its workspace: one line that opens to the files, each of which opens to its patch. */
export function DiffView({ diff }: { diff: DiffPart }) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const { files, isCut } = diff;
  return (
    <section aria-label={text('diff.title')} className="my-2 rounded-lg border border-line text-xs">
      <Opener isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
        <FileDiff size={14} aria-hidden className="flex-none text-fg-3" />
        <span className="min-w-0 flex-1 truncate text-fg-2">
          {text('diff.files', { count: files.length })}
          {isCut && ' …'}
        </span>
        <Counts added={sum(files, 'added')} removed={sum(files, 'removed')} />
      </Opener>
      {isOpen && (
        <ul className="border-t border-line">
          {files.map((file) => (
            <FileRow key={file.path} file={file} patchId={diff.patchId} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FileRow({ file, patchId }: { file: ChangedFile; patchId: string | null }) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const { path, from, kind, added, removed } = file;
  return (
    <li className="not-first:border-t not-first:border-line">
      <Opener isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
        <span className="min-w-0 flex-1 truncate font-mono text-fg" title={path}>
          {revealHidden(from === undefined ? path : `${from} → ${path}`)}
        </span>
        {kind !== 'changed' && <span className="flex-none text-fg-3">{text(`diff.${kind}`)}</span>}
        {added === null ? (
          <span className="flex-none text-fg-3">{text('diff.binary')}</span>
        ) : (
          <Counts added={added} removed={removed ?? 0} />
        )}
      </Opener>
      {isOpen && <FilePatch path={path} patchId={patchId} />}
    </li>
  );
}

interface OpenerProps {
  isOpen: boolean;
  onToggle: () => void;
  children: React.ReactNode;
}

function Opener({ isOpen, onToggle, children }: OpenerProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex min-h-8 w-full touch:min-h-11 items-center gap-2 rounded-lg px-2.5 text-left hover:bg-hover"
    >
      {children}
      <ChevronRight size={13} className={cx('flex-none transition-transform print:hidden', isOpen && 'rotate-90')} />
    </button>
  );
}

/** Dark enough to be read on a line that the mouse is over. */
const ADDED = 'text-[color-mix(in_oklch,var(--st-completed)_75%,var(--fg))]';

function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="flex-none font-mono tabular-nums">
      <span className={ADDED}>+{added}</span> <span className="text-danger">−{removed}</span>
    </span>
  );
}

function sum(files: readonly ChangedFile[], of: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + (file[of] ?? 0), 0);
}
