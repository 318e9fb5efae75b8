import type { KnowledgeTextKey } from './en.ts';
import { enKnowledge } from './en-knowledge.ts';
import { addEnglish, textAt, useLanguage, type Values } from './text.ts';

addEnglish(enKnowledge);

/** Words of the app, and about what agents can search. */
export function text(key: KnowledgeTextKey, values: Values = {}): string {
  return textAt(key, values);
}

/** The same inside components: they are drawn anew when the language changes. */
export function useText(): typeof text {
  useLanguage();
  return text;
}
