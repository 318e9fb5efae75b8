import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useText } from '../../../i18n/text.ts';
import { closeFind } from '../../../state/find-state.ts';
import { IconButton } from '../../../ui/button.tsx';
import { shownBox } from '../../../ui/keyboard-focus.ts';
import { countPlaces } from './hits.ts';
import type { Find } from './use-find.ts';

interface Props {
  sessionId: string;
  find: Find;
  /** Rises when the box is wanted again. */
  focusRequests: number;
}

/** At the top right of a conversation: what to look for, which place of how many, and on to the next. */
export function FindBar({ sessionId, find, focusRequests }: Props) {
  const text = useText();
  const box = useRef<HTMLInputElement>(null);
  useWanted(box, focusRequests);
  useFunctionKey(find.go);
  const close = useClose(sessionId);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') find.go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isIdle = find.hits.length === 0;
  return (
    <search
      aria-label={text('find.label')}
      onKeyDown={onKeyDown}
      className="absolute top-2 right-4 left-4 z-10 flex items-center gap-0.5 rounded-lg border border-line-strong bg-raised p-1 shadow-float sm:left-auto sm:w-90"
    >
      <input
        ref={box}
        data-find=""
        type="text"
        value={find.query}
        onChange={({ target }) => find.setQuery(target.value)}
        aria-label={text('find.label')}
        placeholder={text('find.label')}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={500}
        className="h-7 touch:h-11 min-w-0 flex-1 bg-transparent px-2 outline-none placeholder:text-fg-3"
      />
      <span role="status" className="flex-none px-1 text-xs whitespace-nowrap text-fg-2">
        {useCount(find)}
      </span>
      <IconButton label={text('find.previous')} disabled={isIdle} onClick={() => find.go(-1)}>
        <ChevronUp size={15} />
      </IconButton>
      <IconButton label={text('find.next')} disabled={isIdle} onClick={() => find.go(1)}>
        <ChevronDown size={15} />
      </IconButton>
      <IconButton label={text('action.close')} onClick={close}>
        <X size={15} />
      </IconButton>
    </search>
  );
}

function useCount({ phrase, hits, current, isSearching, isCut, problem }: Find): string {
  const text = useText();
  if (phrase === '') return '';
  if (isSearching) return text('find.searching');
  if (problem !== null && hits.length === 0) return problem;
  if (hits.length === 0) return text('find.none');
  const { index, count } = countPlaces(hits, current);
  return text('find.count', { index, count: isCut ? `${count}+` : count });
}

function useWanted(box: React.RefObject<HTMLInputElement | null>, focusRequests: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs with every request for focus
  useEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, [box, focusRequests]);
}

/** The keyboard goes back to where it was before the search, or to the message box. */
function useClose(sessionId: string): () => void {
  const before = useRef<Element | null>(null);
  before.current ??= document.activeElement;
  return () => {
    closeFind(sessionId);
    const { current } = before;
    const isThere = current instanceof HTMLElement && current !== document.body && current.isConnected;
    const back = isThere ? current : shownBox();
    back?.focus({ preventScroll: true });
  };
}

function useFunctionKey(go: Find['go']): void {
  const newest = useRef(go);
  useEffect(() => {
    newest.current = go;
  });
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'F3' || event.defaultPrevented) return;
      event.preventDefault();
      newest.current(event.shiftKey ? -1 : 1);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
