import type { SessionState } from '../../../client/session-state.ts';
import type { Message } from '../../../contract/messages.ts';
import { useLive } from '../../live/use-live.ts';
import type { LiveRow, MessageRow } from './rows.ts';

/** Whether an answer is what a command printed. In a tool's session a person may still talk to the agent. */
export function useIsOutput(row: LiveRow | MessageRow, sessionId: string): boolean {
  return useLive(({ states }) => {
    const state = states.get(sessionId);
    return state?.session?.type === 'tool-execution' && isCommand(state, askedBy(row, state));
  });
}

/** Whether a message that an agent sent here is a command, or what one printed elsewhere. */
export function useIsSentOutput(message: Message): boolean {
  return useLive(({ states, sessions }) => {
    if (states.get(message.sessionId)?.session?.type === 'tool-execution') return true;
    const work = message.parts.find((part) => part.type === 'delegation');
    // Messages of earlier versions do not say it themselves.
    return work?.via === 'background' || sessions.get(work?.sessionId ?? '')?.type === 'tool-execution';
  });
}

function askedBy(row: LiveRow | MessageRow, { turns }: SessionState): string | null {
  return row.kind === 'live' ? (turns.get(row.turn.turnId)?.messageId ?? null) : row.message.parentId;
}

function isCommand({ messages }: SessionState, id: string | null): boolean {
  const message = id === null ? undefined : messages.get(id);
  return message?.role === 'user' && message.agent !== null;
}
