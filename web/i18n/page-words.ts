import type { PageTextKey } from './en.ts';
import { enPages } from './en-pages.ts';
import { addEnglish, textAt, useLanguage, type Values } from './text.ts';

addEnglish(enPages);

/** Words of the app, and of pages and dialogs that are loaded when they open. */
export function text(key: PageTextKey, values: Values = {}): string {
  return textAt(key, values);
}

/** The same inside components: they are drawn anew when the language changes. */
export function useText(): typeof text {
  useLanguage();
  return text;
}
