import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle } from '../../i18n/session-title.ts';

/** Whether all the words are in the title, the folder or the name of somebody who speaks there; none given: undefined. */
export function toMatcher(
  query: string,
  agentNames: ReadonlyMap<string, string>,
): ((session: Session) => boolean) | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return (session) => {
    const haystack = describe(session, agentNames).toLowerCase();
    return words.every((word) => haystack.includes(word));
  };
}

function describe({ title, folder, agentId, agents }: Session, names: ReadonlyMap<string, string>): string {
  const speakers = agentId === null ? agents : [agentId, ...agents];
  return [sessionTitle(title), folder ?? '', ...speakers.flatMap((id) => [id, names.get(id) ?? ''])].join('\n');
}
