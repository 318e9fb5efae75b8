import type { LiveTurn } from '../../client/live-turn.ts';
import { type SessionState, shownMessages } from '../../client/session-state.ts';
import type { Action } from '../../contract/actions.ts';
import type { Message } from '../../contract/messages.ts';

/** What the transcript shows, from top to bottom. Keys are ids, never places. */
export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | { readonly kind: 'message'; readonly key: string; readonly message: Message; readonly subAgentOf: string | null }
  | { readonly kind: 'live'; readonly key: string; readonly turn: LiveTurn; readonly subAgentOf: string | null }
  | { readonly kind: 'action'; readonly key: string; readonly action: Action };

export function toRows(state: SessionState): Row[] {
  const messages = shownMessages(state);
  const rows = messages.flatMap((message, index) => [
    ...daysBefore(message, messages[index - 1]),
    { kind: 'message', key: message.id, message, subAgentOf: subAgentOf(message, messages[index - 1]) } as const,
  ]);
  // Who waits for somebody it asked has nothing to show until it goes on.
  const live = state.open
    .filter((turn) => turn === state.live || turn.parts.length > 0)
    .map((turn) => toLive(turn, state));
  const asked = [...state.actions.values()].filter((action) => !action.approval);
  return [...rows, ...live, ...asked.map((action) => ({ kind: 'action', key: action.id, action }) as const)];
}

function daysBefore(message: Message, before: Message | undefined): Row[] {
  const day = dayOf(message.createdAt);
  return before && dayOf(before.createdAt) === day ? [] : [{ kind: 'day', key: `day ${day}`, at: message.createdAt }];
}

function dayOf(iso: string): string {
  return new Date(iso).toDateString();
}

/** Who gave the work that a message answers, when it was given in this session. */
function subAgentOf(message: Message, before: Message | undefined): string | null {
  if (message.role !== 'assistant' || before?.role !== 'delegation' || before.agent !== message.agent) return null;
  return before.parts.find((part) => part.type === 'delegation')?.from ?? null;
}

function toLive(turn: LiveTurn, { turns }: SessionState): Row {
  const parent = turns.get(turn.turnId)?.parentTurnId;
  return { kind: 'live', key: `live ${turn.turnId}`, turn, subAgentOf: (parent && turns.get(parent)?.agentId) ?? null };
}
