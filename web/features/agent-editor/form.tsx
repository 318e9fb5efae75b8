import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { TOP_FIELDS } from './check-definition.ts';
import type { Vocabulary } from './completion.ts';
import { writeAt } from './draft.ts';
import type { EditorProps } from './editor-props.ts';
import { type Field, type FieldGroup, GROUPS } from './fields.ts';
import { FormField } from './form-field.tsx';
import { type JsonObject, type JsonValue, type Path, valueAt } from './json-value.ts';
import { type Problem, problemsAt } from './problems.ts';

interface Props extends EditorProps {
  /** Null: the text is not the JSON of an object. */
  value: JsonObject | null;
  problems: readonly Problem[];
  vocabulary: Vocabulary;
  onLeave(path: Path): void;
}

export function AgentForm(props: Props) {
  const { value } = props;
  if (!value) return <Unreadable onTab={props.onTab} />;
  return GROUPS.map((group) => <Group key={group.title} {...props} group={group} value={value} />);
}

function Unreadable({ onTab }: Pick<Props, 'onTab'>) {
  const text = useText();
  return (
    <div className="flex min-h-40 flex-col items-start gap-2">
      <p>{text('agents.unreadable')}</p>
      <Button onClick={() => onTab('json')}>{text('agents.toJson')}</Button>
    </div>
  );
}

function Group({ group, value, ...props }: Props & { group: FieldGroup; value: JsonObject }) {
  const text = useText();
  const fields = group.fields.map((field) => <Row key={field.path.join('.')} {...props} field={field} value={value} />);
  if (!group.isSpecial) {
    return (
      <fieldset className="mb-6">
        <legend className="mb-2 font-semibold">{text(group.title)}</legend>
        {fields}
      </fieldset>
    );
  }
  const isUsed = group.fields.some(({ path }) => valueAt(value, path) !== undefined);
  return (
    <details className="mb-3" open={isUsed}>
      <summary className="mb-2 min-h-6 cursor-pointer font-semibold">{text(group.title)}</summary>
      {fields}
    </details>
  );
}

function Row({ field, value, ...props }: Props & { field: Field; value: JsonObject }) {
  const current = valueAt(value, field.path);
  const write = (next: JsonValue | undefined) =>
    props.onChange(writeAt(props.text, field.path, next, field.path.length === 1 ? TOP_FIELDS : []));
  return (
    <FormField
      field={field}
      value={current}
      inherited={valueAt(props.inherited, field.path)}
      isFixed={props.fixedId !== null && field.path[0] === 'agentId'}
      isHeir={typeof value.extends === 'string'}
      problems={problemsAt(props.problems, field.path)}
      vocabulary={props.vocabulary}
      onWrite={write}
      onLeave={() => props.onLeave(field.path)}
    />
  );
}
