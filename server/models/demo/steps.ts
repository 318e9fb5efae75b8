import type { ProviderFault } from '../attempt.ts';
import type { DemoPrompt } from './prompt.ts';

/** What the demo model does, one after the other. */
export type DemoStep =
  | { kind: 'say'; text: string }
  | { kind: 'think'; text: string }
  | { kind: 'call'; id: string; name: string; input: string }
  | { kind: 'slow' }
  | { kind: 'stall' }
  | { kind: 'fail'; fault: ProviderFault };

export function say(...lines: readonly string[]): DemoStep {
  return { kind: 'say', text: lines.join('\n') };
}

export function think(...lines: readonly string[]): DemoStep {
  return { kind: 'think', text: lines.join('\n') };
}

/** Several calls of one answer are numbered. */
export function call({ request }: DemoPrompt, name: string, input: object, at = 0): DemoStep {
  const id = `demo_call_${request.messages.length}${at === 0 ? '' : `_${at}`}`;
  return { kind: 'call', id, name, input: JSON.stringify(input) };
}
