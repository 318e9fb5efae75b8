import { useState } from 'react';
import { useText, text as words } from '../../i18n/agent-words.ts';
import { providerName } from '../../state/model-line.ts';
import { cx } from '../../ui/cx.ts';
import { DEFINITION_SCHEMA, optionsAt } from './check-definition.ts';
import type { Vocabulary } from './completion.ts';
import type { Field } from './fields.ts';
import { type JsonValue, readPairs, writePairs } from './json-value.ts';
import type { Problem } from './problems.ts';

export const FRAME = 'rounded-md border border-line-strong bg-surface px-2 py-1 disabled:opacity-60';
export const BOX = `w-full ${FRAME}`;

/** What every box has in common. */
function shared({ id, describedBy, isWrong }: ControlProps) {
  return { id, 'aria-describedby': describedBy, 'aria-invalid': isWrong || undefined } as const;
}

/** An empty box stands for a field that is not there, except where the field must be. */
function written(field: string | undefined, words: string): string | undefined {
  return words === '' && field !== 'agentId' ? undefined : words;
}

export function TextControl(props: ControlProps) {
  const { field, value, inherited, isFixed, onWrite } = props;
  return (
    <input
      {...shared(props)}
      value={String(value ?? '')}
      placeholder={placeholderOf(inherited) ?? field.example}
      disabled={isFixed}
      spellCheck={false}
      onChange={(event) => onWrite(written(field.path[0], event.target.value))}
      className={cx(BOX, 'h-8')}
    />
  );
}

export function LongControl(props: ControlProps) {
  const { field, value, inherited, onWrite } = props;
  return (
    <textarea
      {...shared(props)}
      value={String(value ?? '')}
      placeholder={placeholderOf(inherited)}
      rows={field.rows ?? 3}
      onChange={(event) => onWrite(written(field.path[0], event.target.value))}
      className={cx(BOX, 'field-sizing-content max-h-[60vh] min-h-16 text-md')}
    />
  );
}

/** Several texts, one a line. */
export function LinesControl(props: ControlProps) {
  const { field, value, inherited, onWrite } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const change = (words: string) => {
    const lines = words.split('\n').filter((line) => line.trim() !== '');
    setTyped(words);
    onWrite(lines.length > 0 ? lines.map((line) => line.trim()) : undefined);
  };
  return (
    <textarea
      {...shared(props)}
      value={typed ?? joined(value)}
      placeholder={joined(inherited) || field.example}
      rows={field.rows ?? 3}
      onChange={(event) => change(event.target.value)}
      onBlur={() => setTyped(null)}
      className={cx(BOX, 'field-sizing-content max-h-[60vh] min-h-16 text-md')}
    />
  );
}

/** Names with what belongs to each, one a line: `NAME=value`. A line that has no `=` yet is a name without a value. */
export function PairsControl(props: ControlProps) {
  const { field, value, inherited, onWrite } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const change = (words: string) => {
    setTyped(words);
    onWrite(readPairs(words, field.hasFlags));
  };
  return (
    <textarea
      {...shared(props)}
      value={typed ?? writePairs(value)}
      placeholder={writePairs(inherited) || field.example}
      rows={field.rows ?? 3}
      spellCheck={false}
      onChange={(event) => change(event.target.value)}
      onBlur={() => setTyped(null)}
      className={cx(BOX, 'field-sizing-content max-h-[60vh] min-h-14 font-mono text-xs')}
    />
  );
}

function joined(lines: unknown): string {
  return Array.isArray(lines) ? lines.join('\n') : '';
}

export function NumberControl(props: ControlProps) {
  const { field, value, inherited, onWrite } = props;
  return (
    <input
      {...shared(props)}
      type="number"
      step={field.step ?? 'any'}
      value={typeof value === 'number' ? value : ''}
      placeholder={placeholderOf(inherited)}
      onChange={(event) => onWrite(event.target.value === '' ? undefined : Number(event.target.value))}
      className={cx(BOX, 'h-8 max-w-40')}
    />
  );
}

export function ChoiceControl(props: ControlProps) {
  const text = useText();
  const { field, value, inherited, onWrite } = props;
  return (
    <select
      {...shared(props)}
      value={String(value ?? '')}
      onChange={(event) => onWrite(event.target.value || undefined)}
      className={cx(BOX, 'h-8 max-w-64')}
    >
      <option value="">{unsetWords(text, shownOption(field, inherited))}</option>
      {offered(field, value).map((option) => (
        <option key={option} value={option}>
          {shownOption(field, option)}
        </option>
      ))}
    </select>
  );
}

/** What is chosen already stays a choice. */
function offered({ path, options }: Field, value: unknown): string[] {
  return optionsAt(DEFINITION_SCHEMA, path).filter((one) => !options || options.includes(one) || one === value);
}

/** A provider by its name; other choices are words of the definition. */
function shownOption({ path, optionText }: Field, option: unknown): string | undefined {
  if (typeof option !== 'string') return undefined;
  if (optionText) return words(optionText(option));
  return path.at(-1) === 'provider' ? providerName(option) : option;
}

export function FlagControl(props: ControlProps) {
  const text = useText();
  const { value, inherited, onWrite } = props;
  return (
    <select
      {...shared(props)}
      value={typeof value === 'boolean' ? String(value) : ''}
      onChange={(event) => onWrite(event.target.value === '' ? undefined : event.target.value === 'true')}
      className={cx(BOX, 'h-8 max-w-64')}
    >
      <option value="">{unsetWords(text, inherited)}</option>
      <option value="true">{text('agents.yes')}</option>
      <option value="false">{text('agents.no')}</option>
    </select>
  );
}

/** An agent or a template by name, with the known ones to choose from. */
export function NameControl(props: ControlProps) {
  const { id, field, value, vocabulary, onWrite } = props;
  const names = field.control === 'base' ? [...vocabulary.templates, ...vocabulary.agents] : vocabulary.agents;
  return (
    <>
      <input
        {...shared(props)}
        list={`${id}-names`}
        value={String(value ?? '')}
        spellCheck={false}
        onChange={(event) => onWrite(event.target.value || undefined)}
        className={cx(BOX, 'h-8 max-w-80')}
      />
      <datalist id={`${id}-names`}>
        {[...new Set(names)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function unsetWords(text: ReturnType<typeof useText>, inherited: unknown): string {
  const isKnown = typeof inherited === 'string' || typeof inherited === 'number' || typeof inherited === 'boolean';
  return isKnown ? text('agents.inherits', { value: String(inherited) }) : text('agents.default');
}

function placeholderOf(inherited: unknown): string | undefined {
  return typeof inherited === 'string' || typeof inherited === 'number' ? String(inherited).slice(0, 200) : undefined;
}

export interface FieldProps {
  field: Field;
  value: unknown;
  /** What holds when nothing is written here. */
  inherited: unknown;
  isFixed: boolean;
  /** It extends something. */
  isHeir: boolean;
  problems: readonly Problem[];
  vocabulary: Vocabulary;
  onWrite(value: JsonValue | undefined): void;
  /** The focus went on to something else. */
  onLeave(): void;
}

/** What every kind of control gets. */
export interface ControlProps extends Omit<FieldProps, 'problems' | 'onLeave'> {
  id: string;
  describedBy: string | undefined;
  isWrong: boolean;
}
