import type { AgentTextKey } from './en.ts';
import { enAgents } from './en-agents.ts';
import { addEnglish, textAt, useLanguage, type Values } from './text.ts';

addEnglish(enAgents);

/** Words of the app and of the pages of agents. */
export function text(key: AgentTextKey, values: Values = {}): string {
  return textAt(key, values);
}

/** The same inside components: they are drawn anew when the language changes. */
export function useText(): typeof text {
  useLanguage();
  return text;
}
