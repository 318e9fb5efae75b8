import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import type { FieldType, List, ListField, MOST_FIELDS } from '../../../../contract/lists.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

const TYPES: readonly FieldType[] = ['text', 'number', 'date', 'choice', 'checkbox', 'link'];
const FIELD = 'min-w-0 rounded-md border border-line-strong bg-surface px-2 py-1 touch:text-[16px]';

/** The name of a list, what it is for, and the fields that its items have. */
export function FieldsDialog({ list, onClose }: { list: List; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const id = useId();
  const [base] = useState(list.version);
  const [name, setName] = useState(list.name);
  const [description, setDescription] = useState(list.description);
  const [fields, setFields] = useState<readonly ListField[]>(list.fields);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = {
      ...(name.trim() !== list.name && { name: name.trim() }),
      ...(description !== list.description && { description }),
      ...(JSON.stringify(fields) !== JSON.stringify(list.fields) && { fields: fields.map(plain) }),
      base,
    };
    client.call('patchList', { listId: list.id, body }).then(onClose, (error: Error) => setProblem(error.message));
  };
  const change = (index: number, next: Partial<ListField>) =>
    setFields(fields.map((field, at) => (at === index ? { ...field, ...next } : field)));
  const swap = (index: number, by: number) => {
    const next = [...fields];
    [next[index], next[index + by]] = [next[index + by]!, next[index]!];
    setFields(next);
  };
  const add = () => setFields([...fields, { id: newFieldId(fields), name: '', type: 'text' }]);
  const buttons = (
    <>
      <Button onClick={onClose}>{text('action.cancel')}</Button>
      <Button look="primary" type="submit" form={id}>
        {text('list.save')}
      </Button>
    </>
  );
  return (
    <Dialog open wide title={text('list.fields')} onClose={onClose} footer={buttons}>
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        <label className="flex flex-col gap-1">
          <span className="text-xs text-fg-2">{text('field.name')}</span>
          <input
            required
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
            className={FIELD}
          />
        </label>
        <label className="flex flex-col gap-1">
          <span className="text-xs text-fg-2">{text('field.description')}</span>
          <input
            maxLength={2000}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
            className={FIELD}
          />
        </label>
        <ol aria-label={text('field.fields')} className="flex flex-col gap-2">
          {fields.map((field, index) => (
            <FieldLine
              key={field.id}
              field={field}
              isFirst={index === 0}
              isLast={index === fields.length - 1}
              onChange={(next) => change(index, next)}
              onSwap={(by) => swap(index, by)}
              onRemove={() => setFields(fields.filter((_, at) => at !== index))}
            />
          ))}
        </ol>
        <Button className="self-start" disabled={fields.length >= MOST} onClick={add}>
          <Plus size={14} />
          {text('list.addField')}
        </Button>
        {problem && (
          <p role="alert" className="text-danger">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

interface LineProps {
  field: ListField;
  isFirst: boolean;
  isLast: boolean;
  onChange(next: Partial<ListField>): void;
  onSwap(by: 1 | -1): void;
  onRemove(): void;
}

function FieldLine({ field, isFirst, isLast, onChange, onSwap, onRemove }: LineProps) {
  const text = useText();
  const { name, type, choices } = field;
  return (
    <li className="flex flex-wrap items-center gap-1.5">
      <input
        required
        maxLength={100}
        value={name}
        aria-label={text('list.fieldName')}
        placeholder={text('list.fieldName')}
        onChange={({ target }) => onChange({ name: target.value })}
        className={`${FIELD} flex-1 basis-32`}
      />
      <select
        value={type}
        aria-label={text('list.fieldType')}
        onChange={({ target }) => onChange({ type: target.value as FieldType })}
        className={FIELD}
      >
        {TYPES.map((one) => (
          <option key={one} value={one}>
            {text(`list.type.${one}`)}
          </option>
        ))}
      </select>
      <IconButton label={text('panel.move.up')} disabled={isFirst} onClick={() => onSwap(-1)}>
        <ArrowUp size={14} />
      </IconButton>
      <IconButton label={text('panel.move.down')} disabled={isLast} onClick={() => onSwap(1)}>
        <ArrowDown size={14} />
      </IconButton>
      <IconButton label={text('list.removeField', { name })} onClick={onRemove}>
        <Trash2 size={14} />
      </IconButton>
      {type === 'choice' && (
        <input
          value={choices?.join(', ') ?? ''}
          aria-label={text('list.choices')}
          placeholder={text('list.choices')}
          onChange={({ target }) => onChange({ choices: target.value.split(',').map((one) => one.trimStart()) })}
          className={`${FIELD} basis-full`}
        />
      )}
    </li>
  );
}

/** As the server takes it: choices only where they belong. */
function plain({ id, name, type, choices = [] }: ListField): ListField {
  const given = choices.map((choice) => choice.trim()).filter((choice) => choice !== '');
  return { id, name: name.trim(), type, ...(type === 'choice' && { choices: [...new Set(given)] }) };
}

function newFieldId(fields: readonly ListField[]): string {
  const taken = new Set(fields.map(({ id }) => id));
  for (let number = fields.length + 1; ; number++) if (!taken.has(`field_${number}`)) return `field_${number}`;
}

/** The contract's `MOST_FIELDS`, without its schemas. */
const MOST: typeof MOST_FIELDS = 50;
