import { type ClipboardEvent, type KeyboardEvent, type RefObject, useLayoutEffect } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { type Offer, optionId } from './suggestion-list.tsx';
import type { Writing } from './use-writing.ts';
import { type Heard, putSpoken } from './voice/dictation.ts';

const LINES = 12;
const LINE_PX = 23;
const MARGIN_PX = { above: 10, below: 4 };
/** What surrounds the text is a border: padding would scroll, and a full box would show cut lines next to its edges. */
const FACE =
  'col-start-1 row-start-1 w-full border-x-14 border-t-10 border-b-4 border-transparent bg-clip-padding text-md leading-[23px] break-words';
const GROWS_BY_ITSELF = CSS.supports('field-sizing', 'content');

interface Props {
  box: RefObject<HTMLTextAreaElement | null>;
  writing: Writing;
  heard: Heard;
  offer: Offer;
  listId: string;
  placeholder: string;
  describedBy: string;
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void;
  onPaste(event: ClipboardEvent<HTMLTextAreaElement>): void;
  onFocus(isFocused: boolean): void;
}

/** Grows from one line to twelve. During dictation it shows what will be there, and cannot be typed into. */
export function MessageBox({ box, writing, heard, offer, listId, placeholder, describedBy, ...on }: Props) {
  const text = useText();
  const isDictating = heard.phase !== 'off';
  const value = isDictating ? dictated(writing.text, heard).join('') : writing.text;
  useGrowth(box, value);
  const isOffered = offer.list !== null;
  return (
    <div className="mb-1.5 grid max-h-80 overflow-y-auto">
      <textarea
        ref={box}
        rows={1}
        dir="auto"
        value={value}
        readOnly={isDictating}
        aria-label={text('composer.message')}
        aria-describedby={describedBy}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOffered ? listId : undefined}
        aria-activedescendant={isOffered ? optionId(listId, offer.active) : undefined}
        placeholder={placeholder}
        enterKeyHint="send"
        autoComplete="off"
        onChange={({ target }) => writing.typed(target.value, target.selectionStart)}
        onSelect={({ currentTarget }) => writing.moved(currentTarget.selectionStart)}
        onKeyDown={on.onKeyDown}
        onPaste={on.onPaste}
        onFocus={() => on.onFocus(true)}
        onBlur={() => on.onFocus(false)}
        className={cx(
          FACE,
          'resize-none bg-transparent outline-none touch:min-h-11 placeholder:overflow-hidden placeholder:text-ellipsis placeholder:text-fg-3',
          // A long placeholder is cut, not wrapped: it must not make the box higher.
          value === ''
            ? 'field-sizing-fixed overflow-hidden text-ellipsis whitespace-nowrap'
            : 'overflow-y-auto whitespace-pre-wrap field-sizing-content',
          isDictating && 'text-transparent caret-fg',
        )}
        style={{ maxHeight: LINES * LINE_PX + MARGIN_PX.above + MARGIN_PX.below }}
      />
      {isDictating && <Dictated parts={dictated(writing.text, heard)} />}
    </div>
  );
}

/** Before, what is sure, what is guessed, after. */
function dictated(text: string, { at, sure, guess }: Heard): [string, string, string, string] {
  const all = putSpoken(text, at, `${sure} ${guess}`);
  const known = putSpoken(text, at, sure).words.trimEnd();
  return [all.before, known, all.words.slice(known.length), all.after];
}

function Dictated({ parts: [before, sure, guess, after] }: { parts: [string, string, string, string] }) {
  return (
    <div aria-hidden="true" dir="auto" className={cx(FACE, 'pointer-events-none whitespace-pre-wrap')}>
      {before}
      {sure}
      <span className="text-fg-3">{guess}</span>
      {after}
    </div>
  );
}

/** For browsers in which a box does not grow by itself. */
function useGrowth(box: RefObject<HTMLTextAreaElement | null>, value: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another height
  useLayoutEffect(() => {
    if (GROWS_BY_ITSELF || !box.current) return;
    const { style } = box.current;
    style.height = 'auto';
    style.height = `${box.current.scrollHeight + MARGIN_PX.above + MARGIN_PX.below}px`;
  }, [box, value]);
}
