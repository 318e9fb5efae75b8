import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ArtifactFile } from '../../../../contract/artifact-files.ts';
import type { ArtifactConflict } from '../../../../contract/artifacts.ts';
import { AppError } from '../../../../contract/errors.ts';
import { ConflictDialog } from '../../../artifacts/conflict-dialog.tsx';
import { giveContents } from '../../../artifacts/keep-file.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { Button } from '../../../ui/button.tsx';
import { notify } from '../../../ui/toast.tsx';

interface Props {
  file: ArtifactFile;
  text: string;
  onClose(): void;
}

/** The text of a file, written as a whole. What others have changed meanwhile is a choice. */
export function FileEditor({ file, text: contents, onClose }: Props) {
  const text = useText();
  const live = useLiveConnection();
  // What is written here is based on what was shown when it began.
  const [{ base, begun }] = useState({ base: file.version, begun: contents });
  const [draft, setDraft] = useState(contents);
  const [conflicts, setConflicts] = useState<readonly ArtifactConflict[] | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const save = async (isForced = false) => {
    if (draft === begun && !isForced) return onClose();
    try {
      const type = file.contents.mediaType;
      await giveContents(live, file, { contents: new Blob([draft], { type }), ...(!isForced && { base }) });
      onClose();
    } catch (error) {
      const { conflicts: found } = error instanceof AppError ? error : {};
      if (!found) return notify({ title: (error as Error).message });
      const theirs = await live.client.readArtifactFile(file.id).then((read) => read.text());
      setConflicts(found.map((conflict) => ({ ...conflict, yours: draft, theirs })));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isMod = event.ctrlKey || event.metaKey;
    if (isMod && event.key.toLowerCase() === 's') void save();
    else if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape' && draft === begun) onClose();
  };
  return (
    <>
      <textarea
        ref={box}
        dir="auto"
        aria-label={text('field.contents')}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 resize-none bg-bg p-4 font-mono text-sm leading-relaxed outline-none touch:text-[16px]"
      />
      <footer className="flex flex-none justify-end gap-2 border-t border-line p-2">
        <Button onClick={onClose}>{text('action.cancel')}</Button>
        <Button look="primary" disabled={draft === ''} onClick={() => void save()}>
          {text('list.save')}
        </Button>
      </footer>
      {conflicts && (
        <ConflictDialog
          conflicts={conflicts}
          nameOf={() => text('field.contents')}
          onMine={() => void save(true)}
          onTheirs={onClose}
        />
      )}
    </>
  );
}
