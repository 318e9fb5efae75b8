import type { PanelTextKey } from './en.ts';
import { enPanels } from './en-panels.ts';
import { addEnglish, textAt, useLanguage, type Values } from './text.ts';

addEnglish(enPanels);

/** Words of the app, of panels, and of lists, notes and views. */
export function text(key: PanelTextKey, values: Values = {}): string {
  return textAt(key, values);
}

/** The same inside components: they are drawn anew when the language changes. */
export function useText(): typeof text {
  useLanguage();
  return text;
}
