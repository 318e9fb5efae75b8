import type { Session } from '../../../contract/sessions.ts';
import { isScratch } from '../../state/needs.ts';

const SHOWN = 6;

/** Where the person was last: newest activity first, without what is archived, about to be deleted or between agents. */
export function recentSessions(sessions: Iterable<Session>, hidden: ReadonlySet<string>): Session[] {
  return [...sessions]
    .filter((session) => session.archivedAt === null && session.delegatedFrom === null && !isScratch(session))
    .filter(({ id }) => !hidden.has(id))
    .sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1))
    .slice(0, SHOWN);
}
