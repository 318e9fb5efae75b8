import type { Delegation } from '../contract/delegation.ts';
import type { Part } from '../contract/messages.ts';
import { screenWidth } from './call-line.ts';
import { safeLine } from './terminal-text.ts';
import { cut } from './text-width.ts';

type Told = Pick<Delegation, 'to' | 'task' | 'state'> & { reason?: string | null | undefined };

const LONGEST = 300;

/** `→ Delegating to NAME — task`, or why not. Escaped, one line. */
export function delegationLine({ to, task, state, reason }: Told): string {
  const line =
    state === 'refused'
      ? `→ ${to} was not asked: ${reason ?? 'not allowed'}`
      : `→ Delegating to ${to}${task.trim() === '' ? '' : ` — ${task}`}`;
  return oneLine(line);
}

/** What became of it, when its answer does not say so by itself. */
export function delegationEnd({ to, state, reason, mode, via }: Delegation): string | null {
  if (state === 'refused') return delegationLine({ to, task: '', state, reason });
  if (state === 'complete') return mode === 'async' || via === 'background' ? oneLine(`← ${to} is done`) : null;
  return state === 'started' ? null : oneLine(`← ${to}: ${state}${reason ? `: ${reason}` : ''}`);
}

export function delegationOf({ parts }: { parts: readonly Part[] }): Extract<Part, { type: 'delegation' }> | undefined {
  return parts.find((part) => part.type === 'delegation');
}

function oneLine(line: string): string {
  return cut(safeLine(line), Math.min(LONGEST, screenWidth()));
}
