import type { SessionSnapshot } from '../../contract/snapshot.ts';
import { readDelegations } from '../delegation/tree.ts';
import { readMessages } from '../sessions/transcript.ts';
import { readQueue } from '../turns/queue.ts';
import { listTurns } from '../turns/read.ts';
import type { RouteDeps } from './route-deps.ts';

const ATTEMPTS = 3;
const MOST_ACTIONS = 500;
const MOST_DELEGATIONS = 100;

interface Pages {
  messages: number;
  turns: number;
}

/**
 * Reads a session as it stood at one moment: when an event was stored meanwhile, everything is read again. In a session
 * where that happens every time, the rest is newer than `lastSeq`; its events then tell what is known already.
 */
export async function readSnapshot(
  deps: RouteDeps,
  owner: string,
  sessionId: string,
  pages: Pages,
): Promise<SessionSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const session = await deps.sessions.get(owner, sessionId);
    const rest = await readRest(deps, owner, sessionId, pages);
    const { lastSeq } = await deps.sessions.get(owner, sessionId);
    if (lastSeq !== session.lastSeq && attempt < ATTEMPTS) continue;
    return { session, ...rest, partials: deps.turns.partials(owner, (id) => id === sessionId) };
  }
}

async function readRest({ log, actions }: RouteDeps, owner: string, sessionId: string, pages: Pages) {
  const [messages, queue, turnPage, waiting, given] = await Promise.all([
    readMessages(log.db, owner, sessionId, { limit: pages.messages }),
    readQueue(log, owner, sessionId),
    listTurns(log, owner, sessionId, { limit: pages.turns }),
    actions.list(owner, { state: 'open', session: sessionId, limit: MOST_ACTIONS }),
    readDelegations(log, owner, sessionId, MOST_DELEGATIONS),
  ]);
  return { messages, queue, turns: turnPage, actions: waiting.actions, delegations: given.delegations };
}
