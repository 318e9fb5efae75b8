import { type FormEvent, useId, useState } from 'react';
import type { ArtifactFile } from '../../../../contract/artifact-files.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

const FIELD = 'w-full rounded-md border border-line-strong bg-surface px-2 py-1 touch:text-[16px]';

/** What a file has besides its contents. */
export function FileForm({ file, onClose }: { file: ArtifactFile; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const id = useId();
  const [name, setName] = useState(file.name);
  const [tags, setTags] = useState(file.tags.join(', '));
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const written = [...new Set(tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
    const body = {
      ...(name.trim() !== file.name && { name: name.trim() }),
      ...(written.join('\n') !== file.tags.join('\n') && { tags: written }),
      base: file.version,
    };
    client
      .call('patchArtifactFile', { artifactFileId: file.id, body })
      .then(onClose, (error: Error) => setProblem(error.message));
  };
  const buttons = (
    <>
      <Button onClick={onClose}>{text('action.cancel')}</Button>
      <Button look="primary" type="submit" form={id}>
        {text('list.save')}
      </Button>
    </>
  );
  return (
    <Dialog open title={text('file.details')} onClose={onClose} footer={buttons}>
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        <label className="flex flex-col gap-1">
          <span className="text-xs text-fg-2">{text('field.name')}</span>
          <input maxLength={200} value={name} onChange={({ target }) => setName(target.value)} className={FIELD} />
        </label>
        <label className="flex flex-col gap-1">
          <span className="text-xs text-fg-2">{text('list.tagsHint')}</span>
          <input maxLength={2000} value={tags} onChange={({ target }) => setTags(target.value)} className={FIELD} />
        </label>
        {problem && (
          <p role="alert" className="text-danger">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}
