import type { AnswerAction, QuestionField } from '../../contract/actions.ts';

type Value = NonNullable<AnswerAction['values']>[string];

/** What a person typed for a field, as the value it stands for; a complaint when it stands for none. */
export function readValue(field: QuestionField, typed: string): { value: Value } | { complaint: string } {
  const text = typed.trim();
  switch (field.type) {
    case 'text':
      return { value: typed };
    case 'number':
    case 'integer':
      return readNumber(field.type, text);
    case 'boolean':
      return readYesOrNo(text);
    case 'choice':
      return readChoice(field, text);
    case 'choices':
      return readChoices(field, text);
    default:
      return field.type satisfies never;
  }
}

function readNumber(type: 'number' | 'integer', text: string): { value: Value } | { complaint: string } {
  const value = text === '' ? Number.NaN : Number(text);
  if (type === 'integer' && !Number.isInteger(value)) return { complaint: 'It must be a whole number.' };
  return Number.isFinite(value) ? { value } : { complaint: 'It must be a number.' };
}

function readYesOrNo(text: string): { value: Value } | { complaint: string } {
  if (/^(y|yes|true|1)$/i.test(text)) return { value: true };
  return /^(n|no|false|0)$/i.test(text) ? { value: false } : { complaint: 'It must be yes or no.' };
}

/** By its words, or by its number in the list. */
function readChoice({ options = [] }: QuestionField, text: string): { value: Value } | { complaint: string } {
  const chosen = options.find((option) => option === text) ?? optionAt(options, text);
  return chosen === undefined ? { complaint: `It must be one of: ${options.join(', ')}.` } : { value: chosen };
}

function readChoices(field: QuestionField, text: string): { value: Value } | { complaint: string } {
  const values: Value[] = [];
  for (const word of text.split(',').map((one) => one.trim())) {
    if (word === '') continue;
    const read = readChoice(field, word);
    if ('complaint' in read) return read;
    values.push(read.value);
  }
  return { value: values };
}

function optionAt(options: readonly string[], text: string): string | undefined {
  return /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
}
