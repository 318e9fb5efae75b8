import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';
import { language, useText } from '../../i18n/text.ts';
import { duration } from '../../i18n/time.ts';
import { useLive } from '../../live/use-live.ts';

export interface MessageFacts {
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
