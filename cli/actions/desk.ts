import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action, AnswerAction, QuestionField } from '../../contract/actions.ts';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { safeLine } from '../terminal-text.ts';
import { describeAction, describeField } from './describe.ts';
import { howToAnswer } from './how-to-answer.ts';
import { readValue } from './read-values.ts';
import { sayAnswer } from './said.ts';

/** A person who can be told in the middle of a question that it is over. */
export interface PersonHere {
  ask(prompt: string, draft: string | undefined, signal: AbortSignal): Promise<string>;
  say(line: string): void;
  /** Around everything that is asked about one action. */
  begin?(): Promise<void>;
  end?(): void;
}

/** Shows the person the open actions one after the other, and sends what they decide. */
export class ActionDesk {
  readonly #client: ParleyClient;
  readonly #person: PersonHere;
  readonly #onIdle: () => void;
  readonly #known = new Set<string>();
  #waiting: Action[] = [];
  #asked: { action: Action; over: AbortController } | null = null;
  #idle = Promise.resolve();

  constructor(client: ParleyClient, person: PersonHere, onIdle: () => void) {
    this.#client = client;
    this.#person = person;
    this.#onIdle = onIdle;
  }

  get isAsking(): boolean {
    return this.#asked !== null;
  }

  /** Resolves when nothing is left to ask. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  /** Failures are left out: their turn is over, and no turn waits for the answer. */
  open(action: Action): void {
    if (action.kind === 'failure' || this.#known.has(action.id)) return;
    this.#known.add(action.id);
    this.#waiting.push(action);
    if (!this.isAsking) this.#idle = this.#askAll();
  }

  /** Answered elsewhere, or no longer of interest. */
  settle(action: Action): void {
    this.#waiting = this.#waiting.filter(({ id }) => id !== action.id);
    if (this.#asked?.action.id === action.id) this.#asked.over.abort();
  }

  /** What was put off is asked again. */
  openAgain(actions: Iterable<Action>): void {
    for (const action of actions) {
      this.#known.delete(action.id);
      this.open(action);
    }
  }

  async #askAll(): Promise<void> {
    for (let action = this.#waiting.shift(); action; action = this.#waiting.shift()) {
      const over = new AbortController();
      this.#asked = { action, over };
      await this.#ask(action, over.signal);
    }
    this.#asked = null;
    this.#onIdle();
  }

  async #ask(action: Action, signal: AbortSignal): Promise<void> {
    for (const line of describeAction(action)) this.#person.say(line);
    await this.#person.begin?.();
    try {
      while (!signal.aborted && !(await this.#decide(action, signal)));
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#person.say('(already settled)');
    } finally {
      this.#person.end?.();
    }
  }

  /** False when the answer did not fit or did not get through: then it is asked again. */
  async #decide(action: Action, signal: AbortSignal): Promise<boolean> {
    const answer = await askPerson(toPerson(this.#person, signal), action);
    if (!answer) {
      for (const line of ['Still waiting. Answer later with:', ...howToAnswer(action)]) this.#person.say(line);
      return true;
    }
    try {
      await this.#client.call('answerAction', { actionId: action.id, body: answer });
      this.#person.say(sayAnswer(action, answer));
      return true;
    } catch (error) {
      this.#person.say(safeLine(error instanceof Error ? error.message : String(error)));
      return error instanceof AppError && OVER.has(error.code);
    }
  }
}

const OVER: ReadonlySet<ErrorCode> = new Set(['action_settled', 'action_not_found']);

function toPerson(person: PersonHere, signal: AbortSignal): Person {
  return { ask: (prompt, draft) => person.ask(prompt, draft, signal), say: (line) => person.say(line) };
}

/** A person who can be asked. `draft` is the text they start from and may change. */
interface Person {
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
