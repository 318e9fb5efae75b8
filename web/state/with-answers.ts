import type { SessionState } from '../../client/session-state.ts';

/** A message and everything said in answer to it: what the server deletes along with it. */
export function withAnswers({ messages, turns }: SessionState, messageId: string): string[] {
  const answering = new Set<string>();
  // Turns are in the order in which they were created only where they were heard live, so this repeats until it is stable.
  for (let before = -1; before !== answering.size; ) {
    before = answering.size;
    for (const { id, messageId: answered, parentTurnId, sessionId } of turns.values()) {
      const isNested =
        parentTurnId !== null && answering.has(parentTurnId) && turns.get(parentTurnId)?.sessionId === sessionId;
      if (answered === messageId || isNested) answering.add(id);
    }
  }
  const answers = [...messages.values()].filter(({ turnId }) => turnId !== null && answering.has(turnId));
  return [...new Set([messageId, ...answers.map(({ id }) => id)])];
}
