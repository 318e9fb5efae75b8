import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { FieldValue, FieldValues, List, ListField, ListItem, PatchItem } from '../../../../contract/lists.ts';
import { partsOf, toDue } from '../../../artifacts/due.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

interface Props {
  list: List;
  item: ListItem;
  onSave(patch: Omit<PatchItem, 'base'>): void;
  onClose(): void;
}

const FIELD = 'w-full rounded-md border border-line-strong bg-surface px-2 py-1 touch:text-[16px]';

/** Everything that an item has. Only what was changed is saved. */
export function ItemForm({ list, item, onSave, onClose }: Props) {
  const text = useText();
  const id = useId();
  const [title, setTitle] = useState(item.title);
  const [notes, setNotes] = useState(item.notes);
  const [due, setDue] = useState(partsOf(item.due));
  const [tags, setTags] = useState(item.tags.join(', '));
  const [values, setValues] = useState<FieldValues>(item.values);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '') return;
    onSave(changesOf(item, { title: title.trim(), notes, due: toDue(due), tags: tagsIn(tags), values }));
    onClose();
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
    <Dialog open wide title={text('list.details')} onClose={onClose} footer={buttons}>
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        <Labelled label={text('field.title')}>
          <input
            required
            maxLength={500}
            value={title}
            onChange={({ target }) => setTitle(target.value)}
            className={FIELD}
          />
        </Labelled>
        <Labelled label={text('field.notes')}>
          <textarea
            rows={4}
            maxLength={20_000}
            value={notes}
            onChange={({ target }) => setNotes(target.value)}
            className={FIELD}
          />
        </Labelled>
        <div className="flex flex-wrap gap-3">
          <Labelled label={text('field.due')}>
            <input
              type="date"
              value={due.day}
              onChange={({ target }) => setDue({ ...due, day: target.value })}
              className={FIELD}
            />
          </Labelled>
          <Labelled label={text('list.dueTime')}>
            <input
              type="time"
              value={due.time}
              disabled={due.day === ''}
              onChange={({ target }) => setDue({ ...due, time: target.value })}
              className={FIELD}
            />
          </Labelled>
          <div className="min-w-40 flex-1">
            <Labelled label={text('list.tagsHint')}>
              <input value={tags} onChange={({ target }) => setTags(target.value)} className={FIELD} />
            </Labelled>
          </div>
        </div>
        {list.fields.map((field) => (
          <ValueField
            key={field.id}
            field={field}
            value={values[field.id] ?? null}
            onChange={(value) => setValues({ ...values, [field.id]: value })}
          />
        ))}
      </form>
    </Dialog>
  );
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is given
    <label className="flex flex-col gap-1">
      <span className="text-xs text-fg-2">{label}</span>
      {children}
    </label>
  );
}

interface ValueProps {
  field: ListField;
  value: FieldValue;
  onChange(value: FieldValue): void;
}

function ValueField({ field, value, onChange }: ValueProps) {
  const { name, type, choices = [] } = field;
  const text = useText();
  if (type === 'checkbox')
    return (
      <label className="flex min-h-7 items-center gap-2">
        <input type="checkbox" checked={value === true} onChange={({ target }) => onChange(target.checked)} />
        {name}
      </label>
    );
  if (type === 'choice')
    return (
      <Labelled label={name}>
        <select value={String(value ?? '')} onChange={({ target }) => onChange(target.value || null)} className={FIELD}>
          <option value="">{text('list.noChoice')}</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </Labelled>
    );
  const read = (written: string): FieldValue => {
    if (written.trim() === '') return null;
    return type === 'number' ? Number(written) : written;
  };
  return (
    <Labelled label={name}>
      <input
        type={type === 'link' ? 'url' : type}
        step="any"
        value={String(value ?? '')}
        onChange={({ target }) => onChange(read(target.value))}
        className={FIELD}
      />
    </Labelled>
  );
}

function tagsIn(written: string): string[] {
  return [...new Set(written.split(',').map((tag) => tag.trim().slice(0, 50)))].filter((tag) => tag !== '');
}

type Filled = Required<Pick<PatchItem, 'title' | 'notes' | 'due' | 'tags' | 'values'>>;

function changesOf(item: ListItem, filled: Filled): Omit<PatchItem, 'base'> {
  const values = Object.entries(filled.values).filter(([id, value]) => value !== (item.values[id] ?? null));
  return {
    ...(filled.title !== item.title && { title: filled.title }),
    ...(filled.notes !== item.notes && { notes: filled.notes }),
    ...(filled.due !== item.due && { due: filled.due }),
    ...(filled.tags.join('\n') !== item.tags.join('\n') && { tags: filled.tags }),
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
  };
}
