import { useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { BOX } from './controls.tsx';
import type { ControlProps } from './field-props.ts';
import { type ListMode, linesOf, modeOf, valueFor } from './list-value.ts';

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
