import type { SearchHit } from '../../../contract/sessions.ts';

export interface ResultGroup {
  readonly sessionId: string;
  readonly title: string;
  readonly hits: readonly SearchHit[];
}

/** By session, where the newest hit comes first; further pages add to the groups that are there. */
export function groupHits(hits: readonly SearchHit[]): ResultGroup[] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const group = groups.get(hit.sessionId);
    if (group) group.push(hit);
    else groups.set(hit.sessionId, [hit]);
  }
  return Array.from(groups, ([sessionId, found]) => ({ sessionId, title: found[0]!.sessionTitle, hits: found }));
}
