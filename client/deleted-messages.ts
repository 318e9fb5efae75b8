import type { SessionEvent } from '../contract/events.ts';
import type { Message } from '../contract/messages.ts';
import type { Messages } from './message-tree.ts';
import type { SessionState } from './session-state.ts';

type MessageDeleted = Extract<SessionEvent, { type: 'message.deleted' }>;

/** What followed it follows what was before it; a branch that is shown instead may not be loaded yet. */
export function withoutDeleted(state: SessionState, event: MessageDeleted): SessionState {
  const turns = new Set(event.turnIds);
  const messages = withoutMessages(state.messages, event);
  const { headId, status } = event.session;
  const isGone = (turnId: string) => turns.has(turnId);
  return {
    ...state,
    session: event.session,
    status,
    headId,
    messages,
    stale: state.stale || (headId !== null && !messages.has(headId)),
    turns: new Map([...state.turns].filter(([id]) => !isGone(id))),
    actions: new Map([...state.actions].filter(([, action]) => !isGone(action.turnId))),
    delegations: new Map([...state.delegations].filter(([id, one]) => !isGone(id) && !isGone(one.parentTurnId))),
    compactions: state.compactions.filter(({ uptoSeq }) => uptoSeq <= (event.archivedUpto ?? uptoSeq)),
  };
}

function withoutMessages(messages: Messages, { messages: deleted, archivedUpto }: MessageDeleted): Messages {
  const gone = new Map(deleted.map(({ id, parentId }) => [id, parentId]));
  const left = [...messages.values()].filter(({ id }) => !gone.has(id));
  return new Map(left.map((message) => [message.id, mended(message, gone, archivedUpto)]));
}

function mended(message: Message, gone: ReadonlyMap<string, string | null>, archivedUpto: number | null): Message {
  const { siblings, parentId, archived, seq } = message;
  const isFollower = parentId !== null && gone.has(parentId);
  const isRestored = archived && archivedUpto !== null && (seq ?? 0) > archivedUpto;
  const others = siblings?.filter((id) => !gone.has(id));
  if (!isFollower && !isRestored && others?.length === siblings?.length) return message;
  const { siblings: _, ...rest } = message;
  return {
    ...rest,
    ...(others && others.length > 1 && { siblings: others }),
    ...(isFollower && { parentId: gone.get(parentId) ?? null }),
    ...(isRestored && { archived: false }),
  };
}
