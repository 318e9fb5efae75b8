import { cutReason } from '../../../contract/cut-answer.ts';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { useLive } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { CutLine } from './message-frame.tsx';
import { useMessageVerbs } from './message-verbs.ts';

/** Under an answer that ends early although its turn is complete: why, and a way to get another answer. */
export function CutNote({ message, sessionId }: { message: Message; sessionId: string }) {
  const text = useText();
  const { again } = useMessageVerbs(message, sessionId);
  const turn = useLive(({ states }) => states.get(sessionId)?.turns.get(message.turnId ?? ''));
  const reason = turn?.answerId === message.id ? cutReason(turn) : null;
  if (!turn || reason === null) return null;
  return (
    <CutLine reason={reason}>
      {again && turn.parentTurnId === null && <Button onClick={again}>{text('message.again')}</Button>}
    </CutLine>
  );
}
