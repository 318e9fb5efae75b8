import { type KeyboardEvent, type RefObject, useState } from 'react';
import { draftOf } from '../../state/drafts.ts';
import { isTouch } from '../../ui/use-touch.ts';
import { type Deed, deedOf } from './box-keys.ts';
import { leaveBox } from './leave-box.ts';
import { completed, isDeed, type Suggestion, take } from './suggestions.ts';
import type { CommandDialog } from './use-commands.ts';
import { useSend } from './use-send.ts';
import { useSuggestions } from './use-suggestions.ts';
import { useWriting } from './use-writing.ts';
import { useDictation } from './voice/use-dictation.ts';

/** Writing, dictating, choosing from the list and sending, and the keys for all of it. */
export function useComposing(
  sessionId: string,
  primary: string | null,
  box: RefObject<HTMLTextAreaElement | null>,
  show: (dialog: CommandDialog) => void,
) {
  const [isFocused, setFocused] = useState(false);
  const writing = useWriting(sessionId, box);
  const { dictation, heard } = useDictation({ text: () => draftOf(sessionId), put: writing.put });
  const isDictating = heard.phase !== 'off';
  const offer = useSuggestions(writing, primary, isFocused && !isDictating);
  const { send, notice } = useSend(sessionId, writing, show);

  const accept = (suggestion: Suggestion, isRun: boolean) => {
    const { text, caret } = take(writing.text, offer.list!, isRun ? suggestion : completed(suggestion));
    writing.put(text, caret);
    if (isRun && isDeed(suggestion, text)) send('queue', text);
  };
  const act = (deed: Deed) => {
    switch (deed.do) {
      case 'send':
        return send(deed.busy);
      case 'move':
        return offer.move(deed.step);
      case 'take':
      case 'complete':
        return accept(offer.chosen!, deed.do === 'take');
      case 'close':
        return offer.close();
      case 'finish':
        return dictation.finish();
      case 'cancel':
        dictation.cancel();
        // The box shows its own text again first; then the caret can go back to where the dictation began.
        return void requestAnimationFrame(() => box.current?.setSelectionRange(heard.at, heard.at));
      case 'leave':
        return leaveBox(sessionId, box.current);
      default:
        return deed satisfies never;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const deed = deedOf(event.nativeEvent, { isOffered: offer.list !== null, isDictating, isTouch: isTouch() });
    if (!deed) return;
    event.preventDefault();
    event.stopPropagation();
    act(deed);
  };
  return { writing, dictation, heard, offer, send, notice, accept, onKeyDown, setFocused };
}
