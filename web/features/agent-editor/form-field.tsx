import { useId, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { ApprovalsControl } from './approvals-control.tsx';
import {
  BOX,
  ChoiceControl,
  FlagControl,
  LinesControl,
  LongControl,
  NameControl,
  NumberControl,
  TextControl,
} from './controls.tsx';
import type { ControlProps, FieldProps } from './field-props.ts';
import { type ListMode, linesOf, modeOf, valueFor } from './list-value.ts';
import { pathName } from './problems.ts';

/** A label, something to fill in, what it is for and what is wrong with it. */
export function FormField({ problems, onLeave, ...props }: FieldProps) {
  const text = useText();
  const id = useId();
  const { label, hint } = props.field;
  const isWrong = problems.length > 0;
  const describedBy = [hint && `${id}-hint`, isWrong && `${id}-wrong`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="mb-3 grid gap-x-4 gap-y-1 sm:grid-cols-[168px_minmax(0,1fr)]">
      <label htmlFor={id} className="pt-1 text-fg-2">
        {text(label)}
      </label>
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

/** Patterns, one a line. No list and an empty list mean opposite things, so which of them it is can be seen. */
function ListControl({ id, describedBy, isWrong, field, value, isHeir, vocabulary, onWrite }: ControlProps) {
  const text = useText();
  const [typed, setTyped] = useState<string | null>(null);
  const lines = Array.isArray(value) ? value.map(String) : [];
  const mode = modeOf(value);
  const isDenial = field.path[0]!.endsWith('Denylist');
  const modes: ListMode[] = ['unset', ...(isHeir || mode === 'free' ? ['free' as const] : []), 'nothing', 'these'];
  const change = (words: string) => {
    setTyped(words);
    onWrite(linesOf(words));
  };
  return (
    <>
      <select
        id={id}
        aria-describedby={describedBy}
        value={mode}
        onChange={(event) => onWrite(valueFor(event.target.value as ListMode, lines))}
        className={cx(BOX, 'h-8 max-w-64')}
      >
        {modes.map((one) => (
          <option key={one} value={one}>
            {text(isDenial ? `agents.denial.${one}` : `agents.list.${one}`)}
          </option>
        ))}
      </select>
      {(mode === 'these' || typed !== null) && (
        <textarea
          aria-label={text('agents.patternsOf', { name: text(field.label) })}
          aria-invalid={isWrong || undefined}
          value={typed ?? lines.join('\n')}
          rows={3}
          spellCheck={false}
          placeholder={vocabulary.tools[0]}
          onChange={(event) => change(event.target.value)}
          onBlur={() => setTyped(null)}
          className={cx(BOX, 'field-sizing-content mt-1 min-h-14 font-mono text-xs')}
        />
      )}
    </>
  );
}
