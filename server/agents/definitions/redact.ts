import type { ChatSettings } from '../../../contract/agents.ts';
import { onlyNamesVariable } from './environment.ts';

/** Stands for a key that is written out in a file. Sent back in a change, it means "the key that is there". */
export const REDACTED = '…';

/** A copy whose key shows only if it is the `${NAME}` of a variable. */
export function redact<T extends { chat?: ChatSettings | null | undefined }>(definition: T): T {
  const key = definition.chat?.apiKey;
  if (typeof key !== 'string' || onlyNamesVariable(key)) return structuredClone(definition);
  return structuredClone({ ...definition, chat: { ...definition.chat, apiKey: REDACTED } });
}
