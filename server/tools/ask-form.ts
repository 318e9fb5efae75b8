import type { ElicitRequestFormParams, ElicitResult, PrimitiveSchemaDefinition } from '@modelcontextprotocol/client';
import { Question, type QuestionField } from '../../contract/actions.ts';
import { plainText } from './mcp/plain-text.ts';
import type { Answer } from './tool.ts';

/** A form, as MCP servers and ACP programs describe what they want to know from the person. */
export type FormSchema = ElicitRequestFormParams['requestedSchema'];

const MOST_ATTEMPTS = 3;

/** `decline`: the person does not want to say. `cancel`: there is no answer, and why. */
export type FormAnswer =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel'; readonly reason: string };

/** Asks until the answers are what the schema wants. `message` says who asks, and what. */
export async function askForm(
  ask: (question: Question) => Promise<Answer | null>,
  message: string,
  schema: FormSchema,
): Promise<FormAnswer> {
  const question = toQuestion(message, schema);
  if (!question) return { action: 'cancel', reason: 'The elicitation is too large, or of an unknown kind.' };
  let asked = question;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const given = await ask(asked);
    if (!given) return { action: 'decline' };
    const read = toContent(schema, given);
    if ('content' in read) return { action: 'accept', content: read.content };
    asked = { ...question, question: `${question.question}\n\n${read.issues.join('; ')}`.slice(0, 4000) };
  }
  return { action: 'cancel', reason: 'No valid answer was given.' };
}

type Content = NonNullable<ElicitResult['content']>;
type Value = Content[string];

/** Undefined when it is more than a person can be shown. */
function toQuestion(message: string, { properties, required = [] }: FormSchema): Question | undefined {
  const fields = Object.entries(properties).map(([name, schema]) => toField(name, schema, required.includes(name)));
  const question = plainText(message, 3900);
  const checked = Question.safeParse(fields.length > 0 ? { question, fields } : { question });
  return checked.success ? checked.data : undefined;
}

/** The answer as the schema wants it, or what is wrong with it. What was left out takes its default. */
function toContent(
  { properties, required = [] }: FormSchema,
  answer: Answer,
): { content: Content } | { issues: readonly string[] } {
  const values: [name: string, value: Value][] = [];
  const issues: string[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const given = answer.values && Object.hasOwn(answer.values, name) ? answer.values[name] : undefined;
    const value = given === undefined || given === null ? schema.default : toValue(schema, given);
    if (value !== undefined) issues.push(...issuesOf(schema, value).map((issue) => `${name} ${issue}`));
    else if (required.includes(name)) issues.push(`${name} is required`);
    if (value !== undefined) values.push([name, value as Value]);
  }
  return issues.length > 0 ? { issues } : { content: Object.fromEntries(values) };
}

function toField(name: string, schema: PrimitiveSchemaDefinition, isRequired: boolean): QuestionField {
  const options = optionsOf(schema);
  const label = [schema.title, schema.description].filter(Boolean).join(': ');
  return {
    name,
    type: typeOf(schema, options !== undefined),
    ...(label && { label: plainText(label, 500) }),
    ...(options && { options: options.map((option) => option.shown) }),
    ...(isRequired && { required: true }),
    ...(schema.default !== undefined && { default: toShown(options, schema.default) }),
  };
}

function typeOf(schema: PrimitiveSchemaDefinition, isChoice: boolean): QuestionField['type'] {
  switch (schema.type) {
    case 'array':
      return 'choices';
    case 'string':
      return isChoice ? 'choice' : 'text';
    case 'number':
    case 'integer':
    case 'boolean':
      return schema.type;
    default:
      return schema satisfies never;
  }
}

function toShown(options: readonly Option[] | undefined, value: unknown): string | number | boolean | string[] {
  const show = (one: unknown) => options?.find((option) => option.value === one)?.shown ?? (one as string);
  return Array.isArray(value) ? value.map(show) : show(value);
}

function toValue(schema: PrimitiveSchemaDefinition, given: unknown): unknown {
  const options = optionsOf(schema);
  if (!options) return given;
  const find = (one: unknown) => options.find(({ shown, value }) => one === shown || one === value)?.value ?? one;
  return Array.isArray(given) ? given.map(find) : find(given);
}

/** What is wrong with a value that a person gave, in the end of a sentence that begins with its name. */
function issuesOf(schema: PrimitiveSchemaDefinition, value: unknown): string[] {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? textIssues(schema, value) : ['must be text'];
    case 'boolean':
      return typeof value === 'boolean' ? [] : ['must be yes or no'];
    case 'number':
    case 'integer':
      return numberIssues(schema, value);
    case 'array':
      return listIssues(schema, value);
    default:
      return schema satisfies never;
  }
}

function textIssues(schema: Extract<PrimitiveSchemaDefinition, { type: 'string' }>, value: string): string[] {
  const options = optionsOf(schema);
  if (options) return options.some((option) => option.value === value) ? [] : ['must be one of the options'];
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = schema as TextLimits;
  const { length } = [...value];
  if (length < minLength) return [`must have at least ${minLength} characters`];
  if (length > maxLength) return [`must have at most ${maxLength} characters`];
  return format && !hasFormat(format, value) ? [`must be a valid ${format}`] : [];
}

interface TextLimits {
  minLength?: number;
  maxLength?: number;
  format?: string;
}

function hasFormat(format: string, value: string): boolean {
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value);
    case 'uri':
      return URL.canParse(value);
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
    default:
      return true;
  }
}

function numberIssues(schema: Extract<PrimitiveSchemaDefinition, { type: 'number' | 'integer' }>, value: unknown) {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (typeof value !== 'number' || !Number.isFinite(value)) return ['must be a number'];
  if (schema.type === 'integer' && !Number.isInteger(value)) return ['must be a whole number'];
  if (value < minimum) return [`must be at least ${minimum}`];
  return value > maximum ? [`must be at most ${maximum}`] : [];
}

function listIssues(schema: Extract<PrimitiveSchemaDefinition, { type: 'array' }>, value: unknown): string[] {
  const known = new Set(optionsOf(schema)?.map((option) => option.value));
  if (!Array.isArray(value) || !value.every((each) => known.has(each))) return ['must be a list of options'];
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) return [`must contain at least ${minItems} options`];
  return value.length > maxItems ? [`must contain at most ${maxItems} options`] : [];
}

/** A choice as a person sees it, and the value that stands for it. */
interface Option {
  readonly shown: string;
  readonly value: string;
}

function optionsOf(schema: PrimitiveSchemaDefinition): readonly Option[] | undefined {
  const options = listOptions(schema);
  const shown = new Set(options?.map((option) => option.shown));
  // Two that look the same are told apart by their values.
  return options && shown.size < options.length ? options.map(({ value }) => ({ shown: value, value })) : options;
}

function listOptions(schema: PrimitiveSchemaDefinition): readonly Option[] | undefined {
  if (schema.type === 'array') {
    return 'anyOf' in schema.items ? schema.items.anyOf.map(titled) : schema.items.enum.map((value) => plain(value));
  }
  if (schema.type !== 'string') return undefined;
  if ('oneOf' in schema) return schema.oneOf.map(titled);
  if (!('enum' in schema)) return undefined;
  const names = 'enumNames' in schema ? (schema.enumNames ?? []) : [];
  return schema.enum.map((value, index) => plain(value, names[index]));
}

function titled({ const: value, title }: { const: string; title: string }): Option {
  return plain(value, title);
}

function plain(value: string, title = value): Option {
  return { shown: plainText(title, 500) || value, value };
}
