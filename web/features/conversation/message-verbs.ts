import { useNavigate } from '@tanstack/react-router';
import { ownWords } from '../../../contract/context-line.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';
import { duration } from '../../i18n/formats.ts';
import { language, useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { addToDraft } from '../../state/drafts.ts';
import { finishDeletions, removeMessage, settleDeletions } from '../../state/message-deletions.ts';
import { showModelInput } from '../../state/open-dialogs.ts';
import { notify } from '../../ui/toast.tsx';
import { useCopy } from '../../ui/use-copy.ts';

export interface MessageVerbs {
  copy(): void;
  copyMarkdown(): void;
  quote(): void;
  fork(): void;
  speak(): void;
  remove(): void;
  /** Null where it does not apply. */
  edit: (() => void) | null;
  again: (() => void) | null;
  seen: (() => void) | null;
}

export function useMessageVerbs(message: Message, sessionId: string, onEdit?: (() => void) | undefined): MessageVerbs {
  const live = useLiveConnection();
  const navigate = useNavigate();
  const { copy } = useCopy();
  const { turnId } = message;
  const isAnswer = message.role === 'assistant';
  const fork = async () => {
    await finishDeletions(live, sessionId);
    const session = await live.client.call('forkSession', { sessionId, body: { messageId: message.id } });
    live.note(session);
    await navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
  };
  const again = async (turn: string) => {
    await settleDeletions(live, sessionId);
    await live.client.call('retryTurn', { turnId: turn });
  };
  return {
    copy: () => copy(ownWords(message)),
    copyMarkdown: () => copy(asMarkdown(message)),
    quote: () => addToDraft(sessionId, ownWords(message).replace(/^/gm, '> ')),
    fork: () => attempt(fork()),
    speak: () => readAloud(ownWords(message)),
    remove: () => removeMessage(live, message),
    edit: onEdit ?? null,
    again: isAnswer && turnId !== null ? () => attempt(again(turnId)) : null,
    seen: isAnswer && turnId !== null ? () => showModelInput(sessionId, turnId) : null,
  };
}

function attempt(work: Promise<unknown>): void {
  void work.catch((error: Error) => notify({ title: error.message }));
}

function asMarkdown(message: Message): string {
  const { agent } = message;
  const words = ownWords(message);
  return agent ? `**${agent}**\n\n${words}` : words;
}

/** Reads words with the device's own voice; a second time stops it. */
function readAloud(text: string): void {
  const { speechSynthesis } = window;
  if (speechSynthesis.speaking) {
    speechSynthesis.cancel();
    return;
  }
  const utterance = new SpeechSynthesisUtterance(text.replace(/```[\s\S]*?```/g, '').slice(0, 20_000));
  utterance.lang = language();
  speechSynthesis.speak(utterance);
}

interface MessageFacts {
  /** As the provider names it. */
  model: string | null;
  /** How long the answer took, without the time it waited for the person. */
  duration: string | null;
  /** All of it in one line, tokens included; empty when nothing is known. */
  details: string;
}

/** What is known about how an answer came about. */
export function useMessageFacts({ id, sessionId, turnId, role }: Message): MessageFacts {
  const text = useText();
  const turn = useLive(({ states }) => (turnId === null ? undefined : states.get(sessionId)?.turns.get(turnId)));
  if (!turn || role !== 'assistant') return { model: null, duration: null, details: '' };
  const model = turn.usage?.model ?? null;
  // A turn that was steered has several answers; its duration and tokens are shown on the last one.
  const isLast = turn.answerId === id;
  const took = isLast ? durationOf(turn) : null;
  const details = [model, took, isLast ? tokensOf(turn, text) : null].filter((one) => one !== null).join(' · ');
  return { model, duration: took, details };
}

function durationOf({ startedAt, endedAt, waitedMs }: Turn): string | null {
  return startedAt && endedAt ? duration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt) - waitedMs)) : null;
}

function tokensOf({ usage }: Turn, text: ReturnType<typeof useText>): string | null {
  if (!usage) return null;
  const number = new Intl.NumberFormat(language());
  const { inputTokens, outputTokens } = usage;
  return text('message.tokens', { input: number.format(inputTokens), output: number.format(outputTokens) });
}
