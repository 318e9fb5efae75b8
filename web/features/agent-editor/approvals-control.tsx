import { Plus, X } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { DEFINITION_SCHEMA } from './check-definition.ts';
import { FRAME } from './controls.tsx';
import type { ControlProps } from './field-props.ts';
import { isObject } from './json-value.ts';
import { optionsAt } from './schema.ts';

type Rule = readonly [pattern: string, policy: string];

/** Patterns of tool names with what happens; the first that matches decides. */
export function ApprovalsControl({ id, value, vocabulary, onWrite }: ControlProps) {
  const text = useText();
  const rules: Rule[] = isObject(value) ? Object.entries(value).map(([name, policy]) => [name, String(policy)]) : [];
  const write = (next: readonly Rule[]) => onWrite(next.length === 0 ? undefined : Object.fromEntries(next));
  return (
    <div>
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
      <Button id={id} disabled={rules.some(([name]) => name === '')} onClick={() => write([...rules, ['', 'ask']])}>
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
