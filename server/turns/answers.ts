import type { Action, AnswerAction, Decision, Question, QuestionField } from '../../contract/actions.ts';
import { AppError } from '../../contract/errors.ts';
import type { AnsweredQuestion } from '../../contract/tools.ts';

const DECISIONS: Record<Action['kind'], readonly Decision[]> = {
  approval: ['once', 'session', 'always', 'deny'],
  question: ['answer', 'decline'],
  limit: ['continue', 'stop'],
  failure: ['retry', 'dismiss'],
};

/** The answer as it counts: a field that was left out has its default, where one was given. */
export function withDefaults({ question }: Action, answer: AnswerAction): AnswerAction {
  const fields = question?.fields ?? [];
  if (answer.decision !== 'answer' || fields.length === 0) return answer;
  const given = answer.values ?? {};
  const usual = fields.filter((field) => given[field.name] === undefined && fits(field, field.default));
  return { ...answer, values: { ...given, ...Object.fromEntries(usual.map((field) => [field.name, field.default!])) } };
}

/** What is kept of a question with the call that asked it. */
export function answeredQuestion({ question, fields = [] }: Question, answer: AnswerAction): AnsweredQuestion {
  const values = fields.flatMap(({ name, label }) => {
    const value = answer.values?.[name];
    return value === undefined || value === null ? [] : [{ label: label ?? name, value }];
  });
  return { question, declined: answer.decision !== 'answer', text: answer.text ?? null, values };
}

/** Refuses an answer that does not fit what was asked. */
export function checkAnswer(action: Action, answer: AnswerAction): void {
  const fitting = DECISIONS[action.kind];
  if (!fitting.includes(answer.decision))
    throw invalid(`Answer this ${action.kind} with ${fitting.join(', ')}, not ${answer.decision}.`);
  if (action.approval?.onceOnly && (answer.decision === 'session' || answer.decision === 'always'))
    throw invalid('This call can only be allowed once or denied.');
  if (answer.input && (action.kind !== 'approval' || answer.decision === 'deny'))
    throw invalid('Arguments can only be changed when approving a call.');
  if (action.kind === 'question' && answer.decision === 'answer') checkValues(action, answer);
}

function checkValues({ question }: Action, { text, values }: AnswerAction): void {
  const fields = question?.fields ?? [];
  if (fields.length === 0) {
    if (text === undefined || Object.keys(values ?? {}).length > 0) throw invalid('Give the answer as text.');
    return;
  }
  const given = values ?? {};
  const unknown = Object.keys(given).filter((name) => !fields.some((field) => field.name === name));
  const issues = [
    ...unknown.map((name) => `${name} was not asked for`),
    ...fields.flatMap((field) => issuesOf(field, given[field.name])),
  ];
  if (issues.length > 0) throw invalid(`The answer is not valid: ${issues.join('; ')}.`, issues);
}

function issuesOf(field: QuestionField, value: unknown): string[] {
  if (value === undefined || value === null) return field.required === true ? [`${field.name} is required`] : [];
  return fits(field, value) ? [] : [`${field.name} must be ${describe(field)}`];
}

function fits({ type, options = [] }: QuestionField, value: unknown): boolean {
  switch (type) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return options.includes(value as string);
    case 'choices':
      return Array.isArray(value) && value.every((one) => options.includes(one));
    default:
      return type satisfies never;
  }
}

function describe({ type, options = [] }: QuestionField): string {
  switch (type) {
    case 'choice':
      return `one of ${options.join(', ')}`;
    case 'choices':
      return `a list of ${options.join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'text':
      return 'text';
    default:
      return type === 'integer' ? 'a whole number' : 'a number';
  }
}

function invalid(message: string, issues?: string[]): AppError {
  return new AppError('action_answer_invalid', message, issues ? { issues } : {});
}
