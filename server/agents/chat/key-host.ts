import type { ChatSettings } from '../../../contract/agent-settings.ts';

/** Where a chat sends its key: the origin of its address, or the provider when it names none. */
export function hostOf({ provider, baseUrl }: Pick<ChatSettings, 'provider' | 'baseUrl'>): string {
  if (typeof baseUrl !== 'string') return provider ?? 'openai';
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}
