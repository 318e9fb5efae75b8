import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { QueueEntry } from '../../../client/session-state.ts';
import { useText } from '../../i18n/text.ts';
import type { Live } from '../../live/live.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { notify } from '../../ui/toast.tsx';

export interface QueueVerbs {
  edit(turnId: string, content: string): void;
  remove(entry: QueueEntry): void;
  step(turnId: string, step: -1 | 1): void;
  drop(turnId: string, target: string): void;
  sendNow(turnId: string): void;
}

interface Queue {
  readonly verbs: QueueVerbs;
  readonly list: RefObject<HTMLOListElement | null>;
  /** What happened, for those who do not see it. */
  readonly told: string;
}

/** What can be done with messages that wait. The order on the page is the server's: it changes when the server says so. */
export function useQueue(sessionId: string, queue: readonly QueueEntry[]): Queue {
  const text = useText();
  const live = useLiveConnection();
  const [told, setTold] = useState('');
  const order = queue.map(({ turn }) => turn.id);
  const { list, keepFocus } = useKeptFocus(order.join(' '));
  const attempt = (work: Promise<unknown>) => void work.catch((error: Error) => notify({ title: error.message }));
  const place = (turnId: string, position: number | null) => {
    if (position === null) return;
    keepFocus(turnId);
    attempt(live.client.call('editQueued', { turnId, body: { position } }));
    setTold(text('composer.movedTo', { place: position + 1, count: order.length }));
  };
  const verbs: QueueVerbs = {
    edit: (turnId, content) => attempt(live.client.call('editQueued', { turnId, body: { content } })),
    remove: ({ turn }) => attempt(takeBack(live, turn)),
    step: (turnId, step) => place(turnId, placeBeside(order, turnId, step)),
    drop: (turnId, target) => place(turnId, placeAfterDrop(order, turnId, target)),
    sendNow: (turnId) => attempt(sendNow(live, sessionId, turnId)),
  };
  return { verbs, list, told };
}

/** An agent waits for what it asked: that is stopped, not taken away. */
function takeBack({ client }: Live, turn: QueueEntry['turn']): Promise<unknown> {
  return turn.parentTurnId === null
    ? client.call('removeQueued', { turnId: turn.id })
    : client.call('cancelTurn', { turnId: turn.id });
}

/** Moves the message to the front and stops the turn that runs. If that turn is over by now, no other is stopped. */
async function sendNow({ client, store }: Live, sessionId: string, turnId: string): Promise<void> {
  const outermost = store.getState().states.get(sessionId)?.open[0];
  await client.call('editQueued', { turnId, body: { position: 0 } });
  if (outermost) await client.call('cancelTurn', { turnId: outermost.turnId });
}

/** What was moved by key keeps the focus, although its place in the page has changed. */
function useKeptFocus(order: string) {
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another order
  useLayoutEffect(() => {
    if (moved.current === null) return;
    const handle = `[data-turn="${CSS.escape(moved.current)}"] [data-handle]`;
    moved.current = null;
    if (document.activeElement === document.body) list.current?.querySelector<HTMLElement>(handle)?.focus();
  }, [order]);
  const keepFocus = (turnId: string) => {
    moved.current = turnId;
  };
  return { list, keepFocus };
}

/** Where something stands after it was dropped on another: in its place, the other makes room. */
export function placeAfterDrop(order: readonly string[], moved: string, target: string): number | null {
  const to = order.indexOf(target);
  return to < 0 || moved === target || !order.includes(moved) ? null : to;
}

/** One place up or down; null at the ends. */
export function placeBeside(order: readonly string[], moved: string, step: -1 | 1): number | null {
  const at = order.indexOf(moved);
  const to = at + step;
  return at < 0 || to < 0 || to >= order.length ? null : to;
}
