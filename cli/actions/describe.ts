import type { Action, ApprovalReason, ApprovalRequest, Question, QuestionField } from '../../contract/actions.ts';
import { readFields } from '../call-line.ts';
import { look } from '../output.ts';
import { exactLine, exactText, safeLine } from '../terminal-text.ts';

/** Everything a person needs to decide: which agent asks, on whose behalf, and exactly what would happen. Escaped. */
export function describeAction(action: Action): string[] {
  return [look().amber(safeLine(action.title)), ...details(action), ...chainLine(action), ...deadline(action)];
}

function details({ title, approval, question, limit, failure }: Action): string[] {
  if (approval) return describeApproval(approval);
  if (question) return describeQuestion(question, title);
  if (limit) return [`  ${safeLine(limit.limit)}: limit ${limit.allowed}, requested ${limit.wanted}`];
  return failure ? [`  ${safeLine(failure.code)}: ${safeLine(failure.message)}`] : [];
}

function describeApproval(approval: ApprovalRequest): string[] {
  const { tool, risk, source, capabilities, input, folder, reason, result } = approval;
  const about = [risk, `${source.kind} ${source.id}`, ...capabilities].map(safeLine).join(', ');
  const made = result === undefined ? [] : ['  creates, with inherited settings:', ...marked(prettyJson(result))];
  const where = folder === null ? [] : [`  in ${exactLine(folder)}`];
  return [
    `  ${look().bold(exactLine(tool))} (${about})`,
    ...where,
    ...inputLines(input),
    ...made,
    ...whyAsked(tool, reason),
  ];
}

function prettyJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

function whyAsked(tool: string, reason: ApprovalReason | undefined): string[] {
  switch (reason?.kind) {
    case undefined:
      return [];
    case 'read-only':
      return [`  asks because the session is read-only and ${safeLine(tool)} sends data to another server`];
    case 'sends-private':
      return [
        `  asks because ${safeLine(tool)} could send what ${reason.reader} can read with ${safeLine(reason.reads)}`,
      ];
    default:
      return reason satisfies never;
  }
}

/** Nothing is left out. Further lines of a value are marked, so that none can pass for another argument. */
function inputLines(input: string): string[] {
  const fields = readFields(input);
  if (!fields) return marked(input);
  if (fields.length === 0) return ['  no arguments'];
  return fields.flatMap(([name, value]) => fieldLines(exactLine(name), toText(value)));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fieldLines(name: string, value: string): string[] {
  const text = exactText(value);
  return text.includes('\n') ? [`  ${name}:`, ...marked(text)] : [`  ${name}: ${text}`];
}

function marked(text: string): string[] {
  return exactText(text)
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
  choice: 'one of the options',
  choices: 'options, separated by commas',
};

function chainLine({ chain }: Action): string[] {
  if (chain.length < 2) return [];
  return [`  ${look().dim(`on behalf of ${chain.map(({ agentId }) => safeLine(agentId)).join(' → ')}`)}`];
}

function deadline({ expiresAt }: Action): string[] {
  return expiresAt ? [`  ${look().dim(`expires at ${safeLine(expiresAt)}`)}`] : [];
}
