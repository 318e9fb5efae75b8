import { type FormEvent, useId, useState } from 'react';
import type { Note } from '../../../../contract/notes.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

const FIELD = 'w-full rounded-md border border-line-strong bg-surface px-2 py-1 touch:text-[16px]';

/** What a note has besides its text. */
export function NoteForm({ note, onClose }: { note: Note; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const id = useId();
  const [name, setName] = useState(note.name);
  const [tags, setTags] = useState(note.tags.join(', '));
  const [date, setDate] = useState(note.date ?? '');
  const [mood, setMood] = useState(note.mood ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const written = [...new Set(tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
    const body = {
      ...(name.trim() !== note.name && { name: name.trim() }),
      ...(written.join('\n') !== note.tags.join('\n') && { tags: written }),
      ...(date !== (note.date ?? '') && { date: date || null }),
      ...(mood !== (note.mood ?? '') && { mood: mood.trim() || null }),
      base: note.version,
    };
    client.call('patchNote', { noteId: note.id, body }).then(onClose, (error: Error) => setProblem(error.message));
  };
  const buttons = (
    <>
      <Button onClick={onClose}>{text('action.cancel')}</Button>
      <Button look="primary" type="submit" form={id}>
        {text('list.save')}
      </Button>
    </>
  );
  const fields = [
    [text('field.name'), name, setName, 'text', 200],
    [text('list.tagsHint'), tags, setTags, 'text', 2000],
    [text('field.date'), date, setDate, 'date', 10],
    [text('field.mood'), mood, setMood, 'text', 50],
  ] as const;
  return (
    <Dialog open title={text('note.details')} onClose={onClose} footer={buttons}>
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        {fields.map(([label, value, change, type, most]) => (
          <label key={label} className="flex flex-col gap-1">
            <span className="text-xs text-fg-2">{label}</span>
            <input
              type={type}
              maxLength={most}
              value={value}
              onChange={({ target }) => change(target.value)}
              className={FIELD}
            />
          </label>
        ))}
        {problem && (
          <p role="alert" className="text-danger">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}
