import { type RefObject, useId } from 'react';
import { useText } from '../../i18n/agent-words.ts';
import { Button } from '../../ui/button.tsx';
import { TOP_FIELDS } from './check-definition.ts';
import type { Vocabulary } from './completion.ts';
import {
  ChoiceControl,
  type ControlProps,
  type FieldProps,
  FlagControl,
  LinesControl,
  LongControl,
  NameControl,
  NumberControl,
  PairsControl,
  TextControl,
} from './controls.tsx';
import { writeAt } from './draft.ts';
import { type Field, type FieldGroup, groupsFor } from './fields.ts';
import { type JsonObject, type JsonValue, type Path, pathName, valueAt } from './json-value.ts';
import { KindField } from './kind-field.tsx';
import { changeKind, type KeptSettings, kindOf, toolsOf } from './kinds.ts';
import { type Problem, problemsAt } from './problems.ts';
import { ApprovalsControl, ListControl } from './rule-controls.tsx';

interface Props extends EditorProps {
  /** Null: the text is not the JSON of an object. */
  value: JsonObject | null;
  problems: readonly Problem[];
  vocabulary: Vocabulary;
  kept: RefObject<KeptSettings>;
  onLeave(path: Path): void;
}

export function AgentForm(props: Props) {
  const { value, inherited } = props;
  if (!value) return <Unreadable onTab={props.onTab} />;
  const kind = kindOf(value, inherited);
  const vocabulary = { ...props.vocabulary, tools: [...toolsOf(kind), ...props.vocabulary.tools] };
  const choose = (next: typeof kind) =>
    props.onChange(changeKind(props.text, value, inherited, next, props.kept.current));
  return (
    <>
      <KindField kind={kind} onChoose={choose} />
      {groupsFor(kind, value).map((group) => (
        <Group key={group.title} {...props} vocabulary={vocabulary} group={group} value={value} />
      ))}
    </>
  );
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

/** A label, something to fill in, what it is for and what is wrong with it. */
function FormField({ problems, onLeave, ...props }: FieldProps) {
  const text = useText();
  const id = useId();
  const { label, hint } = props.field;
  const isWrong = problems.length > 0;
  const describedBy = [hint && `${id}-hint`, isWrong && `${id}-wrong`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="mb-3 grid gap-x-4 gap-y-1 sm:grid-cols-[168px_minmax(0,1fr)]">
      {props.field.control === 'approvals' ? (
        <span id={`${id}-label`} className="pt-1 text-fg-2">
          {text(label)}
        </span>
      ) : (
        <label htmlFor={id} className="pt-1 text-fg-2">
          {text(label)}
        </label>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only notes that the focus has gone */}
      <div onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || onLeave()}>
        <ControlOf {...props} id={id} describedBy={describedBy} isWrong={isWrong} />
        {hint && (
          <p id={`${id}-hint`} className="mt-0.5 text-xs text-fg-3">
            {text(hint)}
          </p>
        )}
        <ul id={`${id}-wrong`} className="text-xs text-danger empty:hidden">
          {problems.map((problem) => (
            <li key={pathName(problem.path) + problem.message}>{problem.message}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function ControlOf(props: ControlProps) {
  const { control } = props.field;
  switch (control) {
    case 'text':
      return <TextControl {...props} />;
    case 'long':
      return <LongControl {...props} />;
    case 'lines':
      return <LinesControl {...props} />;
    case 'pairs':
      return <PairsControl {...props} />;
    case 'number':
      return <NumberControl {...props} />;
    case 'choice':
      return <ChoiceControl {...props} />;
    case 'flag':
      return <FlagControl {...props} />;
    case 'agent':
    case 'base':
      return <NameControl {...props} />;
    case 'list':
      return <ListControl {...props} />;
    case 'approvals':
      return <ApprovalsControl {...props} />;
    default:
      return control satisfies never;
  }
}

export interface EditorProps {
  text: string;
  onChange(text: string): void;
  tab: 'form' | 'json';
  onTab(tab: 'form' | 'json'): void;
  /** What it gets from what it extends. */
  inherited: JsonObject;
  /** An agent that exists keeps its name; null for one that is being made. */
  fixedId: string | null;
  /** The definition in force; null for an agent that is being made. */
  saved: JsonObject | null;
  isChanged: boolean;
  saveLabel: string;
  /** Fails with what the server says of it. `confirm` is what the person has confirmed. */
  onSave(definition: JsonObject, confirm: string | undefined): Promise<void>;
  /** Absent: there is nothing to go back to. */
  onDiscard?: (() => void) | undefined;
}
