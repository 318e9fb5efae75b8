import type { WebhookTextKey } from './en.ts';
import { enWebhooks } from './en-webhooks.ts';
import { addEnglish, textAt, useLanguage, type Values } from './text.ts';

addEnglish(enWebhooks);

/** Words of the app and of the page of webhooks. */
export function text(key: WebhookTextKey, values: Values = {}): string {
  return textAt(key, values);
}

/** The same inside components: they are drawn anew when the language changes. */
export function useText(): typeof text {
  useLanguage();
  return text;
}
