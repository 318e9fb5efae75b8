import type { Action, AnswerAction, QuestionField } from '../../contract/actions.ts';
import { safeLine } from '../terminal-text.ts';
import { describeField } from './describe.ts';
import { readValue } from './read-values.ts';

/** A person who can be asked. `draft` is the text they start from and may change. */
export interface Person {
  ask(prompt: string, draft?: string): Promise<string>;
  say(line: string): void;
}

/** Asks until there is an answer. Null: it stays open for later. What it is about has been shown before. */
export async function askPerson(person: Person, action: Action): Promise<AnswerAction | null> {
  switch (action.kind) {
    case 'approval':
      return askApproval(person, action);
    case 'question':
      return askQuestion(person, action.question?.fields ?? []);
    case 'limit':
      return askYesOrNo(person, 'Continue? y yes · n stop · l later › ', { yes: 'continue', no: 'stop' });
    case 'failure':
      return askYesOrNo(person, 'Retry? y yes · n no · l later › ', { yes: 'retry', no: 'dismiss' });
    default:
      return action.kind satisfies never;
  }
}

const APPROVAL = 'Allow? y once · s this session · a always · n no · e edit · l later › ';
const ONCE_ONLY = 'Allow? y once · n no · e edit · l later › ';

async function askApproval(person: Person, action: Action): Promise<AnswerAction | null> {
  const onceOnly = action.approval?.onceOnly === true;
  for (;;) {
    const word = await askWord(person, onceOnly ? ONCE_ONLY : APPROVAL);
    switch (onceOnly && (word === 's' || word === 'a') ? '' : word) {
      case 'y':
      case 'yes':
        return { decision: 'once' };
      case 's':
        return { decision: 'session' };
      case 'a':
        return { decision: 'always' };
      case 'n':
      case 'no':
        return deny(await person.ask('Reason (optional, shown to the agent) › '));
      case 'e': {
        const input = await askInput(person, action.approval?.input ?? '{}');
        if (input) return { decision: 'once', input };
        break;
      }
      case 'l':
        return null;
      default:
        person.say(onceOnly ? 'Please answer y, n, e or l.' : 'Please answer y, s, a, n, e or l.');
    }
  }
}

async function askWord(person: Person, prompt: string): Promise<string> {
  return (await person.ask(prompt)).trim().toLowerCase();
}

function deny(why: string): AnswerAction {
  const reason = why.trim();
  return { decision: 'deny', ...(reason && { reason }) };
}

/** Undefined when the arguments were emptied or could not be read: then it is asked again. */
async function askInput(person: Person, input: string): Promise<AnswerAction['input']> {
  const text = await person.ask(
    'Arguments as JSON › ',
    input
      .split('\n')
      .map((line) => line.trim())
      .join(' '),
  );
  if (text.trim() === '') return undefined;
  try {
    const changed: unknown = JSON.parse(text);
    if (changed && typeof changed === 'object' && !Array.isArray(changed)) return changed as AnswerAction['input'];
    person.say('The arguments must be a JSON object.');
  } catch (error) {
    person.say(`Not valid JSON: ${safeLine((error as Error).message)}`);
  }
  return undefined;
}

async function askQuestion(person: Person, fields: readonly QuestionField[]): Promise<AnswerAction> {
  if (fields.length === 0) return toAnswer(await person.ask('Your answer (empty to skip) › '));
  const values: NonNullable<AnswerAction['values']> = {};
  for (const field of fields) {
    const value = await askField(person, field);
    if (value === DECLINED) return { decision: 'decline' };
    if (value !== undefined) values[field.name] = value;
  }
  return { decision: 'answer', values };
}

function toAnswer(text: string): AnswerAction {
  return text.trim() === '' ? { decision: 'decline' } : { decision: 'answer', text };
}

const DECLINED = Symbol('declined');
type Value = NonNullable<AnswerAction['values']>[string];

/** Nothing typed means the default, or no answer; where one is needed, that everything is declined. */
async function askField(person: Person, field: QuestionField): Promise<Value | undefined | typeof DECLINED> {
  for (;;) {
    const empty = field.default === undefined && field.required ? ' (empty to skip)' : '';
    const typed = await person.ask(`${describeField(field)}${empty} › `);
    if (typed.trim() === '') return field.default ?? (field.required ? DECLINED : undefined);
    const read = readValue(field, typed);
    if ('value' in read) return read.value;
    person.say(safeLine(read.complaint));
  }
}

async function askYesOrNo(
  person: Person,
  prompt: string,
  { yes, no }: Record<'yes' | 'no', AnswerAction['decision']>,
): Promise<AnswerAction | null> {
  for (;;) {
    const word = await askWord(person, prompt);
    if (word === 'y' || word === 'yes') return { decision: yes };
    if (word === 'n' || word === 'no') return { decision: no };
    if (word === 'l') return null;
    person.say('Please answer y, n or l.');
  }
}
