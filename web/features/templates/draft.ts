import type { Agent } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Session } from '../../../contract/sessions.ts';
import type { NewSessionTemplate, PatchSessionTemplate, SessionTemplate } from '../../../contract/templates.ts';
import { text } from '../../i18n/page-words.ts';
import { nameOfAgent } from '../../live/use-agents.ts';

const MOST_NAME = 200;

/** What the form holds: words as they are typed, and nothing where nothing is. */
export interface Draft {
  readonly name: string;
  readonly agentId: string;
  readonly title: string;
  readonly folder: string;
  readonly opening: string;
  readonly sendsOpening: boolean;
  readonly isReadOnly: boolean;
}

export const BLANK: Draft = {
  name: '',
  agentId: '',
  title: '',
  folder: '',
  opening: '',
  sendsOpening: false,
  isReadOnly: false,
};

export function draftOf(template: SessionTemplate): Draft {
  const { name, agentId, title, folder, mode, opening, sendsOpening } = template;
  return {
    name,
    agentId: agentId ?? '',
    title: title ?? '',
    folder: folder ?? '',
    opening,
    sendsOpening,
    isReadOnly: mode === 'read-only',
  };
}

/** What one said first is what one is likely to say first again. */
export function draftFrom(session: Session, firstWords: string, taken: readonly string[]): Draft {
  return {
    ...BLANK,
    name: freeName(session.title, taken),
    agentId: session.agentId ?? '',
    folder: session.folder ?? '',
    opening: firstWords,
    isReadOnly: session.mode === 'read-only',
  };
}

/** The name, or the name with the first number that no other template has. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const names = new Set(taken);
  const base = wanted.trim().slice(0, MOST_NAME - 5);
  for (let number = 2, name = base; ; name = `${base} ${number++}`) if (!names.has(name)) return name;
}

export function isComplete({ name }: Draft): boolean {
  return name.trim() !== '';
}

export function isSame(one: Draft, other: Draft): boolean {
  return (Object.keys(one) as (keyof Draft)[]).every((key) => one[key] === other[key]);
}

export function toFields(draft: Draft): NewSessionTemplate {
  const { name, agentId, title, folder, opening, sendsOpening, isReadOnly } = draft;
  const hasOpening = opening.trim() !== '';
  return {
    name: name.trim(),
    agentId: agentId || null,
    title: title.trim() || null,
    folder: folder.trim() || null,
    mode: isReadOnly ? 'read-only' : 'full',
    opening: hasOpening ? opening : '',
    sendsOpening: hasOpening && sendsOpening,
  };
}

/** Only what is not as it was. */
export function changesOf(start: Draft, draft: Draft): PatchSessionTemplate {
  const before = toFields(start);
  const now = toFields(draft);
  const changed = (Object.keys(now) as (keyof typeof now)[]).filter((key) => now[key] !== before[key]);
  return Object.fromEntries(changed.map((key) => [key, now[key]]));
}

/** One line on what its sessions begin with. */
export function aboutTemplate(template: SessionTemplate, agents: readonly Agent[]): string {
  const { agentId, folder, mode, opening, sendsOpening } = template;
  const words = opening.trim().replaceAll(/\s+/g, ' ');
  const pieces = [
    agentId === null ? text('templates.agentLast') : nameOfAgent(agents, agentId),
    folder,
    mode === 'read-only' ? text('rail.readOnly') : null,
    words && (sendsOpening ? text('templates.sends', { words }) : `“${words}”`),
  ];
  return pieces.filter(Boolean).join(' · ');
}

/** What went wrong and what to do about it, in the person's language where it can be foreseen. */
export function templateProblem(error: Error): string {
  if (!(error instanceof AppError)) return error.message || text('error.unknown');
  switch (error.code) {
    case 'session_template_name_taken':
      return text('templates.problem.taken');
    case 'too_many_session_templates':
      return text('templates.problem.full');
    case 'session_template_not_found':
      return text('templates.problem.gone');
    default:
      return error.message;
  }
}

export const FORM_ID = 'template-form';

/** Instead of the id of a template: the button that makes one. */
export const NEW = 'new';

/** What the dialog shows. `focus` takes the keyboard: a template, or what makes a new one. */
export type View =
  | { readonly kind: 'list'; readonly focus: string | null }
  | { readonly kind: 'reading' }
  | {
      readonly kind: 'form';
      /** Null: a new one. */
      readonly of: SessionTemplate | null;
      readonly start: Draft;
      readonly draft: Draft;
    };
