import { useSyncExternalStore } from 'react';
import { type Catalogue, en, type TextKey } from './en.ts';

/** Filled by `languages.ts`; English is always there. */
let current: { language: string; catalogue: Catalogue } = { language: 'en', catalogue: en };
const listeners = new Set<() => void>();

export function setCatalogue(language: string, catalogue: Catalogue): void {
  current = { language, catalogue };
  document.documentElement.lang = language === 'pseudo' ? 'en' : language;
  for (const listener of listeners) listener();
}

export type Values = Readonly<Record<string, string | number>>;

/** Words in the chosen language, with `{name}` filled in. */
export function text(key: TextKey, values: Values = {}): string {
  return current.catalogue[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

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
