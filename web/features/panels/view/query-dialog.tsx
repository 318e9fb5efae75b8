import { Plus, Trash2 } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { FilterTest, RowField, View, ViewFilter, ViewQuery, ViewRows } from '../../../../contract/views.ts';
import { useArtifacts } from '../../../artifacts/use-artifacts.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { fieldName, fieldsIn } from './rows.ts';

const TESTS: readonly FilterTest[] = ['is', 'is_not', 'contains', 'lacks', 'before', 'after', 'empty', 'filled'];
const FIELD = 'min-w-0 rounded-md border border-line-strong bg-surface px-2 py-1 touch:text-[16px]';

/** What a view shows: which lists, what must hold, in which order and groups. */
export function QueryDialog({ view, rows, onClose }: { view: View; rows: ViewRows; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const id = useId();
  const [base] = useState(view.version);
  const [name, setName] = useState(view.name);
  const [query, setQuery] = useState<ViewQuery>(view.query);
  const [dateField, setDateField] = useState(view.dateField);
  const [problem, setProblem] = useState<string | null>(null);
  const { filters, sort, group } = query;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = {
      name: name.trim(),
      query: { ...query, filters: filters.map((one) => typed(one, rows)) },
      dateField,
      base,
    };
    client.call('patchView', { viewId: view.id, body }).then(onClose, (error: Error) => setProblem(error.message));
  };
  const change = (next: Partial<ViewQuery>) => setQuery({ ...query, ...next });
  const buttons = (
    <>
      <Button onClick={onClose}>{text('action.cancel')}</Button>
      <Button look="primary" type="submit" form={id}>
        {text('list.save')}
      </Button>
    </>
  );
  return (
    <Dialog open wide title={text('view.query')} onClose={onClose} footer={buttons}>
      <form id={id} onSubmit={submit} className="flex flex-col gap-3">
        <Line label={text('field.name')}>
          <input
            required
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
            className={FIELD}
          />
        </Line>
        <Lists query={query} onChange={change} />
        <Line label={text('view.words')}>
          <input
            maxLength={500}
            value={query.words}
            onChange={({ target }) => change({ words: target.value })}
            className={FIELD}
          />
        </Line>
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1 text-xs text-fg-2">{text('view.filters')}</legend>
          {filters.map((filter, index) => (
            <Filter
              // biome-ignore lint/suspicious/noArrayIndexKey: filters have no names
              key={index}
              filter={filter}
              rows={rows}
              onChange={(next) => change({ filters: filters.map((one, at) => (at === index ? next : one)) })}
              onRemove={() => change({ filters: filters.filter((_, at) => at !== index) })}
            />
          ))}
          <Button
            className="self-start"
            onClick={() => change({ filters: [...filters, { field: 'done', test: 'is', value: false }] })}
          >
            <Plus size={14} />
            {text('view.addFilter')}
          </Button>
        </fieldset>
        <div className="flex flex-wrap gap-3">
          <Line label={text('view.sort')}>
            <FieldChoice
              value={sort[0]?.field ?? null}
              rows={rows}
              none={text('view.asInList')}
              onChange={(field) => change({ sort: field ? [{ field, direction: sort[0]?.direction ?? 'up' }] : [] })}
            />
          </Line>
          {sort[0] && (
            <Line label={text('view.direction')}>
              <select
                value={sort[0].direction}
                onChange={({ target }) =>
                  change({ sort: [{ field: sort[0]!.field, direction: target.value as 'up' | 'down' }] })
                }
                className={FIELD}
              >
                <option value="up">{text('view.up')}</option>
                <option value="down">{text('view.down')}</option>
              </select>
            </Line>
          )}
          <Line label={text('view.groupBy')}>
            <FieldChoice
              value={group}
              rows={rows}
              none={text('list.noChoice')}
              onChange={(field) => change({ group: field })}
            />
          </Line>
          <Line label={text('field.dateField')}>
            <FieldChoice value={dateField} rows={rows} none={text('field.due')} onChange={setDateField} />
          </Line>
        </div>
        {problem && (
          <p role="alert" className="text-danger">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is given
    <label className="flex flex-col gap-1">
      <span className="text-xs text-fg-2">{label}</span>
      {children}
    </label>
  );
}

/** All lists, or some of them; and notes. */
function Lists({ query, onChange }: { query: ViewQuery; onChange(next: Partial<ViewQuery>): void }) {
  const text = useText();
  const { data = [] } = useArtifacts({ kind: 'list' });
  const { lists, notes } = query;
  const toggle = (id: string) => {
    const some = lists ?? [];
    onChange({ lists: some.includes(id) ? some.filter((one) => one !== id) : [...some, id] });
  };
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-xs text-fg-2">{text('view.from')}</legend>
      <label className="flex min-h-7 items-center gap-2">
        <input
          type="checkbox"
          checked={lists === null}
          onChange={({ target }) => onChange({ lists: target.checked ? null : [] })}
        />
        {text('view.allLists')}
      </label>
      {lists !== null && (
        <div className="max-h-40 overflow-y-auto pl-5">
          {data.map(({ id, name }) => (
            <label key={id} className="flex min-h-7 items-center gap-2">
              <input type="checkbox" checked={lists.includes(id)} onChange={() => toggle(id)} />
              <bdi className="truncate">{name}</bdi>
            </label>
          ))}
        </div>
      )}
      <label className="flex min-h-7 items-center gap-2">
        <input type="checkbox" checked={notes} onChange={({ target }) => onChange({ notes: target.checked })} />
        {text('view.notesToo')}
      </label>
    </fieldset>
  );
}

interface ChoiceProps {
  value: RowField | null;
  rows: ViewRows;
  /** What none is called; absent: there must be one. */
  none?: string;
  label?: string;
  onChange(field: RowField | null): void;
}

function FieldChoice({ value, rows, none, label, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange((target.value || null) as RowField | null)}
      className={FIELD}
    >
      {none !== undefined && <option value="">{none}</option>}
      {fieldsIn(rows).map((field) => (
        <option key={field} value={field}>
          {fieldName(field, rows)}
        </option>
      ))}
    </select>
  );
}

interface FilterProps {
  filter: ViewFilter;
  rows: ViewRows;
  onChange(filter: ViewFilter): void;
  onRemove(): void;
}

function Filter({ filter, rows, onChange, onRemove }: FilterProps) {
  const text = useText();
  const { field, test, value } = filter;
  const isBoolean = field === 'done' || typeOf(field, rows) === 'checkbox';
  const setTest = (next: FilterTest) => {
    const plain = next === 'empty' || next === 'filled';
    onChange({ field, test: next, ...(!plain && { value: value ?? (isBoolean ? false : '') }) });
  };
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <FieldChoice
        label={text('view.filterField')}
        value={field}
        rows={rows}
        onChange={(next) => onChange({ field: next!, test: 'is', value: next === 'done' ? false : '' })}
      />
      <select
        aria-label={text('view.filterTest')}
        value={test}
        onChange={({ target }) => setTest(target.value as FilterTest)}
        className={FIELD}
      >
        {TESTS.map((one) => (
          <option key={one} value={one}>
            {text(`view.test.${one}`)}
          </option>
        ))}
      </select>
      {value !== undefined &&
        (isBoolean ? (
          <select
            aria-label={text('view.filterValue')}
            value={String(value)}
            onChange={({ target }) => onChange({ ...filter, value: target.value === 'true' })}
            className={FIELD}
          >
            <option value="true">{text('view.yes')}</option>
            <option value="false">{text('view.no')}</option>
          </select>
        ) : (
          <input
            aria-label={text('view.filterValue')}
            value={String(value)}
            placeholder={test === 'before' || test === 'after' ? 'today+7' : undefined}
            onChange={({ target }) => onChange({ ...filter, value: target.value })}
            className={`${FIELD} flex-1 basis-24`}
          />
        ))}
      <IconButton label={text('view.removeFilter')} onClick={onRemove}>
        <Trash2 size={14} />
      </IconButton>
    </div>
  );
}

function typeOf(field: RowField, { fields }: ViewRows): string | undefined {
  return fields.find(({ id }) => field === `values.${id}`)?.type;
}

/** What was typed is a number where the field is one. */
function typed(filter: ViewFilter, rows: ViewRows): ViewFilter {
  const { field, value } = filter;
  const isNumber = typeOf(field, rows) === 'number' && typeof value === 'string' && value.trim() !== '';
  return isNumber && Number.isFinite(Number(value)) ? { ...filter, value: Number(value) } : filter;
}
