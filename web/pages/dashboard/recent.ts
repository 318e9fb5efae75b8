import type { Session } from '../../../contract/sessions.ts';

const SHOWN = 12;

/** Where the person was last: newest activity first, without what is put away or about to be deleted. */
export function recentSessions(sessions: Iterable<Session>, hidden: ReadonlySet<string>): Session[] {
  return [...sessions]
    .filter(({ id, archivedAt, attributes }) => archivedAt === null && !hidden.has(id) && attributes.scratch !== true)
    .sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1))
    .slice(0, SHOWN);
}
