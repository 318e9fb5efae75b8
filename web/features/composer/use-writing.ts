import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { setDraft, useDraft } from '../../state/drafts.ts';
import { isDialogOpen } from '../../ui/keyboard-focus.ts';
import { isTouch } from '../../ui/use-media.ts';

export interface Writing {
  readonly text: string;
  readonly caret: number;
  /** The person has typed. */
  typed(text: string, caret: number): void;
  moved(caret: number): void;
  /** Something else is in the box from now on; the person goes on writing there. */
  put(text: string, caret: number): void;
}

/** What is being written, and where. The text is the session's draft, so that it outlives the box. */
export function useWriting(sessionId: string, box: RefObject<HTMLTextAreaElement | null>): Writing {
  const text = useDraft(sessionId);
  const [caret, setCaret] = useState(text.length);
  const wantedCaret = useRef<number | null>(null);
  const known = useRef(text);
  useLayoutEffect(() => {
    const isFromOutside = known.current !== text;
    known.current = text;
    if (isFromOutside) wantedCaret.current = text.length;
    if (wantedCaret.current === null) return;
    box.current?.focus({ preventScroll: true });
    box.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    setCaret(wantedCaret.current);
    wantedCaret.current = null;
  }, [text, box]);
  useFocusAtFirst(box);
  const write = (next: string, at: number) => {
    known.current = next;
    setCaret(at);
    setDraft(sessionId, next);
  };
  const put = (next: string, at: number) => {
    wantedCaret.current = at;
    write(next, at);
  };
  return { text, caret, typed: write, moved: setCaret, put };
}

/**
 * A session is opened in order to write, so the box takes the focus, with the cursor at the end of a draft. On a touch
 * screen that would only bring up the keyboard, and a dialog that was opened while the session loaded keeps the focus.
 */
function useFocusAtFirst(box: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const element = box.current;
    if (!element || isTouch() || isDialogOpen()) return;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, [box]);
}
