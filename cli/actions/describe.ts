import type { Action, ApprovalRequest, Question, QuestionField } from '../../contract/actions.ts';
import { readFields } from '../call-line.ts';
import { look } from '../output.ts';
import { safeLine, safeText } from '../terminal-text.ts';

/** Everything a person has to know to decide: who asks, for whom, and exactly what would happen. Escaped. */
export function describeAction(action: Action): string[] {
  return [look().amber(safeLine(action.title)), ...details(action), ...chainLine(action), ...deadline(action)];
}

function details({ title, approval, question, limit, failure }: Action): string[] {
  if (approval) return describeApproval(approval);
  if (question) return describeQuestion(question, title);
  if (limit) return [`  ${safeLine(limit.limit)}: ${limit.allowed} allowed, ${limit.wanted} wanted`];
  return failure ? [`  ${safeLine(failure.code)}: ${safeLine(failure.message)}`] : [];
}

function describeApproval({ tool, risk, source, capabilities, input }: ApprovalRequest): string[] {
  const about = [risk, `${source.kind} ${source.id}`, ...capabilities].map(safeLine).join(', ');
  return [`  ${look().bold(safeLine(tool))} (${about})`, ...inputLines(input)];
}

/** Nothing is left out. Further lines of a value are marked, so that none can pass for another argument. */
function inputLines(input: string): string[] {
  const fields = readFields(input);
  if (!fields) return marked(input);
  if (fields.length === 0) return ['  without arguments'];
  return fields.flatMap(([name, value]) => fieldLines(safeLine(name), toText(value)));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fieldLines(name: string, value: string): string[] {
  const text = safeText(value);
  return text.includes('\n') ? [`  ${name}:`, ...marked(text)] : [`  ${name}: ${text}`];
}

function marked(text: string): string[] {
  return safeText(text)
    .split('\n')
    .map((line) => `  │ ${line}`);
}

/** A short question is in the title already. */
function describeQuestion({ question, fields = [] }: Question, title: string): string[] {
  const words = title.includes(question) ? [] : marked(question);
  return [...words, ...fields.map((field) => `  ${describeField(field)}`)];
}

export function describeField({ name, label, type, options, required, default: usual }: QuestionField): string {
  const kind = options?.length ? options.map((option) => safeLine(option)).join(' | ') : TYPES[type];
  const notes = [kind, required ? 'needed' : '', usual === undefined ? '' : `default ${safeLine(toText(usual))}`];
  return `${safeLine(name)}${label ? `: ${safeLine(label)}` : ''} (${notes.filter(Boolean).join(', ')})`;
}

const TYPES: Record<QuestionField['type'], string> = {
  text: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
  choice: 'one of a list',
  choices: 'some of a list, with commas',
};

function chainLine({ chain }: Action): string[] {
  if (chain.length < 2) return [];
  return [`  ${look().dim(`on behalf of ${chain.map(({ agentId }) => safeLine(agentId)).join(' → ')}`)}`];
}

function deadline({ expiresAt }: Action): string[] {
  return expiresAt ? [`  ${look().dim(`given up at ${safeLine(expiresAt)}`)}`] : [];
}
