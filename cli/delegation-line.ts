import type { Delegation } from '../contract/delegation.ts';
import type { Part } from '../contract/messages.ts';
import { screenWidth } from './call-line.ts';
import { safeLine } from './terminal-text.ts';
import { cut } from './text-width.ts';

type Told = Pick<Delegation, 'to' | 'task' | 'state'> & {
  reason?: string | null | undefined;
  via?: Delegation['via'] | undefined;
};

const LONGEST = 300;

/** `→ Delegating to NAME — task`, or why not. Escaped, one line. */
export function delegationLine({ to, task, state, reason, via }: Told): string {
  if (state === 'refused') return oneLine(`→ ${to} was not asked: ${reason ?? 'not allowed'}`);
  const begun = via === 'background' ? '→ Running in the background' : `→ Delegating to ${to}`;
  return oneLine(`${begun}${task.trim() === '' ? '' : ` — ${task}`}`);
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
