import type { ScheduleTextKey } from './en.ts';
import { enSchedules } from './en-schedules.ts';
import { addEnglish, textAt, useLanguage, type Values } from './text.ts';

addEnglish(enSchedules);

/** Words of the app and of the page of schedules. */
export function text(key: ScheduleTextKey, values: Values = {}): string {
  return textAt(key, values);
}

/** The same inside components: they are drawn anew when the language changes. */
export function useText(): typeof text {
  useLanguage();
  return text;
}
