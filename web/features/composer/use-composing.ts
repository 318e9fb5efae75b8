import { type KeyboardEvent, type RefObject, useState } from 'react';
import { isBusy } from '../../../client/session-state.ts';
import { withContextLine } from '../../../contract/context-line.ts';
import type { WhenBusy } from '../../../contract/turns.ts';
import { text as say } from '../../i18n/text.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { draftOf } from '../../state/drafts.ts';
import { closeFind, isFinding } from '../../state/find-state.ts';
import { outboxOf } from '../../state/outbox.ts';
import { loadedPanels } from '../../state/panels-loaded.ts';
import { useSlots } from '../../state/slots.tsx';
import { isDialogOpen } from '../../ui/keyboard-focus.ts';
import { isTouch } from '../../ui/use-media.ts';
import { attachmentsOf, detachAll } from './attachments.ts';
import { type ComposerAction, composerActionOf } from './box-keys.ts';
import { type CommandName, readLine } from './commands.ts';
import { useSuggestions } from './suggestion-list.tsx';
import { completed, isRunnable, leadOf, type Suggestion, take } from './suggestions.ts';
import { type CommandDialog, useCommands } from './use-commands.ts';
import { useWriting, type Writing } from './use-writing.ts';
import { useDictation } from './voice/voice-button.tsx';

/** Writing, dictating, choosing from the list and sending, and the keys for all of it. */
export function useComposing(
  sessionId: string,
  box: RefObject<HTMLTextAreaElement | null>,
  show: (dialog: CommandDialog) => void,
) {
  const [isFocused, setFocused] = useState(false);
  const writing = useWriting(sessionId, box);
  const { dictation, heard } = useDictation({ text: () => draftOf(sessionId), put: writing.put });
  const isDictating = heard.phase !== 'off';
  const offer = useSuggestions(writing, useSession(sessionId), isFocused && !isDictating);
  const { send, notice } = useSend(sessionId, writing, show);

  const accept = (suggestion: Suggestion, isRun: boolean) => {
    const { text, caret } = take(writing.text, offer.list!, isRun ? suggestion : completed(suggestion));
    writing.put(text, caret);
    if (isRun && isRunnable(suggestion, text)) send('queue', text);
  };
  const act = (action: ComposerAction) => {
    switch (action.do) {
      case 'send':
        return send(action.busy);
      case 'move':
        return offer.move(action.step);
      case 'take':
      case 'complete':
        return accept(offer.chosen!, action.do === 'take');
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
        return action satisfies never;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = composerActionOf(event.nativeEvent, {
      isOffered: offer.list !== null,
      isDictating,
      isTouch: isTouch(),
    });
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    act(action);
  };
  return { writing, dictation, heard, offer, send, notice, accept, onKeyDown, setFocused };
}

/** To what was said, where arrows scroll and single keys work; the box to find words in goes first. */
function leaveBox(sessionId: string, box: HTMLElement | null): void {
  // A dialog that has just opened does not have the keyboard yet. Escape closes it, and the box keeps the focus.
  if (isDialogOpen()) return;
  const log = box?.closest('main')?.querySelector<HTMLElement>('[role="log"]');
  if (isFinding(sessionId)) closeFind(sessionId);
  else if (log) log.focus({ preventScroll: true });
  else box?.blur();
}

/** Sends what is written, or does what it says. What cannot be sent stays in the box, with the reason under it. */
function useSend(sessionId: string, writing: Writing, show: (dialog: CommandDialog) => void) {
  const live = useLiveConnection();
  const run = useCommands(sessionId, show);
  const { panels } = useSlots();
  const [problem, setProblem] = useState<{ text: string; why: string } | null>(null);
  const refuse = (text: string, why: string) => setProblem({ text, why });

  const sendWords = (content: string, how: WhenBusy, text: string) => {
    const { states, sessions } = live.store.getState();
    const state = states.get(sessionId);
    const isLate = state !== undefined && isBusy(state);
    const files = attachmentsOf(sessionId);
    if (!sessions.get(sessionId)?.agentId && leadOf(content) === null) return refuse(text, say('composer.nobody'));
    if (files.some(({ sent }) => sent === null)) return refuse(text, say('composer.attach.wait'));
    const added = panels.flatMap(({ beforeSend }) => beforeSend?.(sessionId) ?? []);
    const context = loadedPanels()?.contextOf(sessionId);
    const words = [content, ...added].filter((one) => one !== '').join('\n\n');
    outboxOf(live).send({
      sessionId,
      content: context ? withContextLine(context, words) : words,
      busy: isLate ? how : 'queue',
      place: isLate && how !== 'interrupt' ? 'queue' : 'transcript',
      files: files.flatMap(({ sent }) => sent ?? []),
    });
    detachAll(sessionId);
    writing.put('', 0);
  };
  const runCommand = async (name: CommandName, argument: string, text: string) => {
    writing.put('', 0);
    if (!(await run(name, argument)) && draftOf(sessionId) === '') writing.put(text, text.length);
  };
  const send = (how: WhenBusy, text: string = writing.text) => {
    if (text.trim() === '' && attachmentsOf(sessionId).length === 0) return;
    const line = readLine(text);
    switch (line.kind) {
      case 'words':
        return sendWords(line.text.trim(), how, text);
      case 'command':
        return void runCommand(line.name, line.argument, text);
      case 'unknown':
      case 'incomplete':
      case 'surplus':
        return refuse(text, say(`composer.line.${line.kind}`, { name: line.name }));
      default:
        return line satisfies never;
    }
  };
  return { send, notice: problem && problem.text === writing.text ? problem.why : null };
}
