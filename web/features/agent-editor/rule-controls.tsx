import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../../i18n/agent-words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { DEFINITION_SCHEMA, optionsAt } from './check-definition.ts';
import { BOX, type ControlProps, FRAME } from './controls.tsx';
import { isObject, type ListMode, linesOf, modeOf, valueFor } from './json-value.ts';

/** Patterns, one a line. No list and an empty list mean opposite things, so which of them it is can be seen. */
export function ListControl({ id, describedBy, isWrong, field, value, isHeir, vocabulary, onWrite }: ControlProps) {
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

type Rule = readonly [pattern: string, policy: string];

/** Patterns of tool names with what happens; the first that matches decides. */
export function ApprovalsControl({ id, describedBy, value, vocabulary, onWrite }: ControlProps) {
  const text = useText();
  const rules: Rule[] = isObject(value) ? Object.entries(value).map(([name, policy]) => [name, String(policy)]) : [];
  const write = (next: readonly Rule[]) => onWrite(next.length === 0 ? undefined : Object.fromEntries(next));
  return (
    // A fieldset cannot be named by words that stand beside it.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="group" aria-labelledby={`${id}-label`} aria-describedby={describedBy}>
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule is known by its place; its name is being typed
        <div key={index} className="mb-1 flex gap-1">
          <RuleFields rule={rule} names={`${id}-tools`} onChange={(next) => write(rules.with(index, next))} />
          <IconButton
            label={text('agents.removeRule', { name: rule[0] })}
            onClick={() => write(rules.toSpliced(index, 1))}
          >
            <X size={14} />
          </IconButton>
        </div>
      ))}
      <datalist id={`${id}-tools`}>
        {vocabulary.tools.map((tool) => (
          <option key={tool} value={tool} />
        ))}
      </datalist>
      <Button disabled={rules.some(([name]) => name === '')} onClick={() => write([...rules, ['', 'ask']])}>
        <Plus size={13} aria-hidden="true" />
        {text('agents.addRule')}
      </Button>
    </div>
  );
}

function RuleFields({
  rule: [name, policy],
  names,
  onChange,
}: {
  rule: Rule;
  names: string;
  onChange(rule: Rule): void;
}) {
  const text = useText();
  return (
    <>
      <input
        aria-label={text('agents.rulePattern')}
        list={names}
        value={name}
        spellCheck={false}
        onChange={(event) => onChange([event.target.value, policy])}
        className={cx(FRAME, 'h-7 min-w-0 flex-1 font-mono text-xs')}
      />
      <select
        aria-label={text('agents.rulePolicy', { name })}
        value={policy}
        onChange={(event) => onChange([name, event.target.value])}
        className={cx(FRAME, 'h-7 w-24 flex-none')}
      >
        {optionsAt(DEFINITION_SCHEMA, ['approvals', 'any']).map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </>
  );
}
