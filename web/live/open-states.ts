import type { SessionState } from '../../client/session-state.ts';
import type { LiveState } from './live-state.ts';

const KEPT = 8;

/** Something was missed, or a branch is shown that has not been read. */
export function isBroken({ stale, deleted, headId, messages }: SessionState): boolean {
  return !deleted && (stale || (headId !== null && !messages.has(headId)));
}

/** Those opened last stay; the others are read again when they are wanted. */
export function withState(states: LiveState['states'], opened: SessionState): LiveState['states'] {
  const others = [...states].filter(([id]) => id !== opened.sessionId);
  return new Map([...others.slice(-(KEPT - 1)), [opened.sessionId, opened]]);
}
