import { useSyncExternalStore } from 'react';
import { fillText } from '../../contract/fill-text.ts';
import type { TextRef } from '../../contract/texts.ts';
import { UNNAMED_SESSION } from '../../contract/unnamed-session.ts';
import { type Catalogue, en, type TextKey } from './en.ts';

/** By key; what the server says comes with its English text. */
export type ServerCatalogue = Readonly<Record<string, string>>;

/** By key. English has those that came with the app; the others are added by what needs them. */
type Words = Readonly<Record<string, string>>;

interface Language {
  readonly language: string;
  readonly catalogue: Words;
  readonly server: ServerCatalogue;
}

/** Filled by `languages.ts`; English is always there. */
let current: Language = { language: 'en', catalogue: en, server: {} };
const listeners = new Set<() => void>();

/** English words that were loaded later. */
const added: Record<string, string> = {};

export function addEnglish(words: Words): void {
  Object.assign(added, words);
}

export function setCatalogue(language: string, catalogue: typeof en | Catalogue, server: ServerCatalogue): void {
  current = { language, catalogue, server };
  document.documentElement.lang = language === 'pseudo' ? 'en' : language;
  for (const listener of listeners) listener();
}

export type Values = Readonly<Record<string, string | number>>;

/** Words in the chosen language, with what stands in braces filled in. */
export function text(key: TextKey, values: Values = {}): string {
  return textAt(key, values);
}

/** For words that are not of the first page: `agent-words.ts` knows their keys. */
export function textAt(key: string, values: Values): string {
  return fillText(current.catalogue[key] ?? added[key] ?? key, values);
}

/** What the server said in English, in the chosen language if that has it. */
export function serverText(message: string, ref: TextRef | undefined): string {
  if (!ref || !Object.hasOwn(current.server, ref.key)) return message;
  const filled = fillText(current.server[ref.key]!, translateInner(ref.values));
  return PLACEHOLDER.test(filled) ? message : filled;
}

/** A sentence inside another one is translated first. */
function translateInner(values: TextRef['values']): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'object' ? serverText(value.message, value) : value,
    ]),
  );
}

/** Why an agent can't answer; null when it can. */
export function unavailableReason(agent: { unavailableReason: string | null; unavailableText?: TextRef | undefined }) {
  return agent.unavailableReason && serverText(agent.unavailableReason, agent.unavailableText);
}

/** The words of an agent or template that comes with Parley; what a person wrote stays as it is. */
export function builtInText(words: string): string {
  return serverText(words, { key: words, values: {} });
}

const PLACEHOLDER = /\{\w+\}/;

export function language(): string {
  return current.language === 'pseudo' ? 'en' : current.language;
}

/** The same inside components: they are drawn anew when the language changes. */
export function useText(): typeof text {
  useLanguage();
  return text;
}

/** For what keeps words: in another language they are others. */
export function useLanguage(): string {
  return useSyncExternalStore(subscribe, () => current.language);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Why a turn failed. Failures stored by older versions have no text reference, only their code. */
export function failureText(failure: { code: string; message: string; text?: TextRef | undefined }): string {
  return serverText(failure.message, failure.text ?? { key: failure.code, values: {} });
}

/** What a session is called. The server has one English title for all that have no name yet. */
export function sessionTitle(title: string | undefined): string {
  return !title || title === UNNAMED_SESSION ? text('sidebar.new') : title;
}
