import { ArrowDown } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { SessionState } from '../../../client/session-state.ts';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { TextBoundary } from '../../markdown/text-boundary.tsx';
import { useFinding } from '../../state/find-state.ts';
import { useHiddenMessages } from '../../state/message-deletions.ts';
import { askedElsewhere } from '../../state/needs.ts';
import type { Outgoing } from '../../state/sending.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { FindBar } from './find/find-bar.tsx';
import { useFind } from './find/use-find.ts';
import { useMarks } from './find/use-marks.ts';
import { RowView } from './row-view.tsx';
import { type Row, toRows, wordsOf } from './rows.ts';
import { type Target, useJump, useTarget } from './use-jump.ts';
import { type List, placeIn, useLeaving, useList, useStick } from './use-list.ts';

interface Props {
  state: SessionState;
  outgoing: readonly Outgoing[];
  target: Target | undefined;
}

/** Everything that was said, however much: only what can be seen is drawn. */
export function Transcript({ state, outgoing, target }: Props) {
  const text = useText();
  const { sessionId } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [place] = useState(() => placeIn(sessionId));
  const rows = useRows(state, outgoing);
  const list = useList(rows, scroller, place);
  const items = list.getVirtualItems();
  const { isAtEnd, toEnd, release } = useStick(scroller, content, place === undefined);
  useLeaving(sessionId, rows, list, isAtEnd);
  useSent(outgoing, toEnd);
  const jump = useJump(sessionId, rows, list, release);
  const marked = useTarget(target, jump);
  const { isOpen, focusRequests } = useFinding(sessionId);
  const find = useFind(state, isOpen, () => seenFrom(rows, list), jump);
  useMarks(scroller, content, find);
  const isReadingBack = useEarlier(sessionId, list.range?.startIndex ?? Number.POSITIVE_INFINITY);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-busy={state.live !== null}
        aria-label={text('conversation.log')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto -outline-offset-2 [overflow-anchor:none]"
      >
        <div
          ref={content}
          className="relative isolate mx-auto w-full max-w-(--measure) px-4"
          style={{ height: list.getTotalSize() }}
        >
          {items.map((item) => {
            const row = rows[item.index]!;
            return (
              <div
                key={item.key}
                ref={list.measureElement}
                data-index={item.index}
                data-key={row.key}
                data-marked={row.key === (find.current?.key ?? marked) || undefined}
                className="absolute inset-x-4 top-0 focus-within:z-10 hover:z-10 data-marked:before:absolute data-marked:before:inset-y-0 data-marked:before:-left-2.5 data-marked:before:w-0.5 data-marked:before:rounded-full data-marked:before:bg-accent"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <TextBoundary text={wordsOf(row)}>
                  <RowView row={row} sessionId={sessionId} />
                </TextBoundary>
              </div>
            );
          })}
        </div>
      </div>
      {isOpen && <FindBar sessionId={sessionId} find={find} focusRequests={focusRequests} />}
      {(jump.isLoading || isReadingBack) && <ReadingBack isLow={isOpen} />}
      {!isAtEnd && <ToEnd sessionId={sessionId} toEnd={toEnd} />}
      <Reading sessionId={sessionId} isAtEnd={isAtEnd} />
    </div>
  );
}

/** A branch that is being read shows nothing yet: what was shown before stays for that moment. */
function useRows(state: SessionState, outgoing: readonly Outgoing[]): readonly Row[] {
  const isAll = useLive(({ earlier }) => typeof earlier.get(state.sessionId) !== 'number');
  const hidden = useHiddenMessages();
  const elsewhere = useLive(({ actions }) => askedElsewhere(actions, state.sessionId));
  const rows = useMemo(
    () => toRows(state, outgoing, isAll, { hidden, askedElsewhere: elsewhere }),
    [state, outgoing, isAll, hidden, elsewhere],
  );
  const whole = useRef(rows);
  const isWhole = state.headId === null || state.messages.has(state.headId);
  useLayoutEffect(() => {
    if (isWhole) whole.current = rows;
  });
  return isWhole ? rows : whole.current;
}

/** What the person says is seen by them, wherever they were reading. */
function useSent(outgoing: readonly Outgoing[], toEnd: () => void): void {
  const newest = outgoing.at(-1)?.id;
  const known = useRef(newest);
  useLayoutEffect(() => {
    const isNew = newest !== undefined && newest !== known.current;
    known.current = newest;
    if (isNew) toEnd();
  }, [newest, toEnd]);
}

function seenFrom(rows: readonly Row[], list: List): number {
  const seen = rows.slice(list.range?.startIndex ?? 0);
  return seen.find((row) => row.kind === 'message')?.message.seq ?? Number.POSITIVE_INFINITY;
}

function ToEnd({ sessionId, toEnd }: { sessionId: string; toEnd(): void }) {
  const text = useText();
  const unread = useLive((state) => state.sessions.get(sessionId)?.unreadCount ?? 0);
  return (
    <Button className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-float" onClick={toEnd}>
      <ArrowDown size={14} />
      {unread > 0 ? text('conversation.newBelow', { count: unread }) : text('conversation.toEnd')}
    </Button>
  );
}

/** Apart, so that a count of what is unread draws nothing of the transcript. */
function Reading({ sessionId, isAtEnd }: { sessionId: string; isAtEnd: boolean }) {
  useReading(sessionId, isAtEnd);
  return null;
}

const AGAIN_MS = 3000;

/** Near the top, the page before is read; true while it is. */
function useEarlier(sessionId: string, firstShown: number): boolean {
  const live = useLiveConnection();
  const before = useLive((state) => state.earlier.get(sessionId));
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (firstShown > 3 || typeof before !== 'number' || isBusy) return;
    setBusy(true);
    live.loadEarlier(sessionId).then(
      () => setBusy(false),
      // Scrolling up while the server is away does not ask it a hundred times.
      () => setTimeout(() => setBusy(false), AGAIN_MS),
    );
  }, [live, sessionId, firstShown, before, isBusy]);
  return isBusy;
}

function ReadingBack({ isLow }: { isLow: boolean }) {
  const text = useText();
  return (
    <p
      role="status"
      className={cx(
        'pointer-events-none absolute left-1/2 -translate-x-1/2 rounded-full border border-line bg-raised px-3 py-1 text-xs text-fg-2 shadow-float',
        isLow ? 'top-14' : 'top-3',
      )}
    >
      {text('conversation.loadingEarlier')}
    </p>
  );
}

const PAUSE_MS = 400;

/** What is finished before the eyes of the person is read. Gives how many they have not come to yet. */
function useReading(sessionId: string, isAtEnd: boolean): number {
  const { client } = useLiveConnection();
  const unread = useLive((state) => state.sessions.get(sessionId)?.unreadCount ?? 0);
  const isLooking = useIsLooking();
  useEffect(() => {
    if (unread === 0 || !isAtEnd || !isLooking) return;
    // What is left before the pause is over was seen all the same: it is marked on the way out.
    const mark = onceOnly(() => void client.call('markRead', { sessionId, keepalive: true }).catch(() => undefined));
    const timer = setTimeout(mark, PAUSE_MS);
    window.addEventListener('pagehide', mark);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', mark);
      mark();
    };
  }, [client, sessionId, unread, isAtEnd, isLooking]);
  return unread;
}

function onceOnly(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

function useIsLooking(): boolean {
  const [isLooking, setLooking] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setLooking(!document.hidden);
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isLooking;
}
