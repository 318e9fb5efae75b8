import type { ParleyClient } from '../../client/parley-client.ts';
import { fromSnapshot, type SessionState } from '../../client/session-state.ts';
import type { MessageList } from '../../contract/messages.ts';
import { isBroken } from './open-states.ts';

export const HISTORY_PAGE = 60;
/** On the way to something said long ago. */
const LONG_PAGE = 500;

export type EarlierPage = Pick<MessageList, 'messages' | 'before'>;

export interface Conversation {
  state: SessionState;
  before: number | null;
}

/** A conversation as it stands: its newest page, and whatever lies between that and a place further back. */
export async function readConversation(client: ParleyClient, sessionId: string, back: number): Promise<Conversation> {
  const read = await readOnce(client, sessionId, back);
  // Somebody spoke between one answer and the next, so that they do not belong together.
  return isBroken(read.state) ? readOnce(client, sessionId, back) : read;
}

async function readOnce(client: ParleyClient, sessionId: string, back: number): Promise<Conversation> {
  const [session, newest, { queue }, { turns }, { actions }, { delegations }] = await Promise.all([
    client.getSession(sessionId),
    client.listMessages(sessionId, { limit: HISTORY_PAGE }),
    client.listQueue(sessionId),
    client.listTurns(sessionId, { limit: 50 }),
    client.listActions({ session: sessionId }),
    client.listDelegations(sessionId, { limit: 100 }),
  ]);
  const { messages, before } = await readBack(client, sessionId, newest, back);
  return { state: fromSnapshot({ session, messages, queue, turns, actions, delegations }), before };
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
    const page = await client.listMessages(sessionId, { before: next, limit: LONG_PAGE });
    pages.unshift(page.messages);
    next = page.before;
  }
  return { messages: pages.flat(), before: next };
}
