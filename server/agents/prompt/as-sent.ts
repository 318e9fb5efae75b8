import { alternate } from '../../models/alternate.ts';
import type { ModelMessage } from '../../models/types.ts';
import { alternateDelegated } from './delegated-work.ts';

/** A history as a provider is sent it. */
export function asSent(messages: readonly ModelMessage[]): ModelMessage[] {
  return alternate(alternateDelegated(messages));
}
