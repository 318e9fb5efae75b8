import { closeFind, isFinding } from '../conversation/find/find-state.ts';

/** To what was said, where arrows scroll and single keys work; the box to find words in goes first. */
export function leaveBox(sessionId: string, box: HTMLElement | null): void {
  const log = box?.closest('main')?.querySelector<HTMLElement>('[role="log"]');
  if (isFinding(sessionId)) closeFind(sessionId);
  else if (log) log.focus({ preventScroll: true });
  else box?.blur();
}
