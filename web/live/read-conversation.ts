import type { ParleyClient } from '../../client/parley-client.ts';
import { fromSnapshot, type SessionState } from '../../client/session-state.ts';
import type { Message, MessageList } from '../../contract/messages.ts';
import type { TurnList } from '../../contract/turns.ts';
import type { LiveState } from './live-state.ts';

export const HISTORY_PAGE = 60;
/** On the way to something said long ago. */
const LONG_PAGE = 500;
const TURN_PAGE = 50;

export type EarlierPage = Pick<MessageList, 'messages' | 'before'>;

interface Conversation {
  state: SessionState;
  before: number | null;
  /** The oldest turn that was read, and where older ones go on. */
  oldestTurn: TurnList;
}

/** A conversation as it stands: its newest page, and whatever lies between that and a place further back. */
export async function readConversation(client: ParleyClient, sessionId: string, back: number): Promise<Conversation> {
  const read = await readOnce(client, sessionId, back);
  // Something was said while older pages were read, so that they do not belong together.
  return isBroken(read.state) ? readOnce(client, sessionId, back) : read;
}

async function readOnce(client: ParleyClient, sessionId: string, back: number): Promise<Conversation> {
  const snapshot = await client.call('sessionSnapshot', { sessionId });
  const { messages, before } = await readBack(client, sessionId, snapshot.messages, back);
  const { turns, next } = await readTurnsBack(client, sessionId, snapshot.turns, messages[0]);
  const state = fromSnapshot({ ...snapshot, messages, turns });
  return { state, before, oldestTurn: { turns: turns.slice(-1), next } };
}

/** Pages before the one given, until a place is among them. */
export async function readBack(
  client: ParleyClient,
  sessionId: string,
  { messages, before }: EarlierPage,
  seq: number,
): Promise<EarlierPage> {
  const pages = [messages];
  let next = before;
  while (next !== null && next > seq) {
    const page = await client.call('listMessages', { sessionId, query: { before: next, limit: LONG_PAGE } });
    pages.unshift(page.messages);
    next = page.before;
  }
  return { messages: pages.flat(), before: next };
}

/** Older turns than those given, until none is left that could have answered the message or anything after it. */
export async function readTurnsBack(
  client: ParleyClient,
  sessionId: string,
  { turns, next }: TurnList,
  first: Message | undefined,
): Promise<TurnList> {
  const all = [...turns];
  let cursor = next;
  while (cursor !== null && first && all.at(-1)!.createdAt >= first.createdAt) {
    const page = await client.call('listTurns', { sessionId, query: { cursor, limit: TURN_PAGE } });
    all.push(...page.turns);
    cursor = page.next;
  }
  return { turns: all, next: cursor };
}

const KEPT = 8;

/** Something was missed, or a branch is shown that has not been read. */
export function isBroken({ stale, deleted, headId, messages }: SessionState): boolean {
  return !deleted && (stale || (headId !== null && !messages.has(headId)));
}

/** Those opened last stay; the others are read again when they are wanted. */
export function withState(states: LiveState['states'], opened: SessionState): LiveState['states'] {
  const others = [...states].filter(([id]) => id !== opened.sessionId);
  return new Map([...others.slice(-(KEPT - 1)), [opened.sessionId, opened]]);
}
