import { type FormEvent, useId, useState } from 'react';
import type { AnswerAction, Question, QuestionField } from '../../../contract/actions.ts';
import { markUnseenCharacters } from '../../../contract/unseen-characters.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

type Value = string | number | boolean | string[] | null;

/** A question as a form: one text, or the fields that were asked for. */
export function QuestionForm({ question, answer }: { question: Question; answer: Answer }) {
  const text = useText();
  const fields = question.fields ?? [];
  const [words, setWords] = useState('');
  const [values, setValues] = useState<Record<string, Value>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, (field.default as Value) ?? null])),
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    const given = Object.fromEntries(fields.flatMap((field) => givenValue(field, values[field.name] ?? null)));
    answer(fields.length > 0 ? { decision: 'answer', values: given } : { decision: 'answer', text: words });
  };
  return (
    <form onSubmit={send} className="space-y-2">
      <p className="text-md whitespace-pre-wrap">{markUnseenCharacters(question.question, 'prose')}</p>
      {fields.length === 0 && (
        <textarea
          aria-label={question.question}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          rows={2}
          className={BOX}
        />
      )}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name] ?? null}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      <div className="flex gap-2">
        <Button look="primary" type="submit">
          {text('actions.answer')}
        </Button>
        <Button onClick={() => answer({ decision: 'decline' })}>{text('actions.decline')}</Button>
      </div>
    </form>
  );
}

/** Nothing for a field that is empty; null where the person has emptied it and its default would count otherwise. */
function givenValue({ name, default: usual }: QuestionField, value: Value): [string, Value][] {
  if (value !== null && value !== '') return [[name, value]];
  return usual === undefined ? [] : [[name, null]];
}

const BOX = 'w-full rounded-md border border-line-strong bg-surface px-2 py-1 touch:min-h-11';

interface FieldProps {
  field: QuestionField;
  value: Value;
  onChange(value: Value): void;
}

function Field({ field, value, onChange }: FieldProps) {
  const id = useId();
  const name = `${field.label ?? field.name}${field.required ? ' *' : ''}`;
  if (field.type === 'boolean')
    return (
      <label className="flex w-fit items-center gap-2 text-fg-2 touch:min-h-11 touch:min-w-11">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4"
        />
        {name}
      </label>
    );
  return (
    <div>
      <label htmlFor={id} className="mb-0.5 block text-xs text-fg-2">
        {name}
      </label>
      <Control id={id} type={field.type} field={field} value={value} onChange={onChange} />
    </div>
  );
}

interface ControlProps extends FieldProps {
  id: string;
  type: Exclude<QuestionField['type'], 'boolean'>;
}

function Control({ id, type, field, value, onChange }: ControlProps) {
  const { options = [], required = false } = field;
  switch (type) {
    case 'choice':
      return (
        <select
          id={id}
          required={required}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.target.value || null)}
          className={BOX}
        >
          <option value="" />
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      );
    case 'choices':
      return (
        <select
          id={id}
          multiple
          required={required}
          value={Array.isArray(value) ? value : []}
          onChange={(event) => onChange(Array.from(event.target.selectedOptions, (option) => option.value))}
          className={BOX}
        >
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      );
    case 'text':
      return (
        <input
          id={id}
          required={required}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.target.value)}
          className={BOX}
        />
      );
    default:
      return (
        <input
          id={id}
          type="number"
          step={type === 'integer' ? 1 : 'any'}
          required={required}
          value={value === null ? '' : String(value)}
          onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
          className={BOX}
        />
      );
  }
}

/** Sends what the person decided. */
export type Answer = (answer: AnswerAction) => void;
