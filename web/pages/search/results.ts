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

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
  readonly start: number;
}

/** A snippet cut at its matches. What does not fit the snippet is left out, so that no text is lost or said twice. */
export function cutAtMatches(snippet: string, matches: readonly { start: number; end: number }[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const take = (end: number, isMatch: boolean) => {
    if (end > at) pieces.push({ text: snippet.slice(at, end), isMatch, start: at });
    at = Math.max(at, end);
  };
  for (const { start, end } of matches.toSorted((a, b) => a.start - b.start)) {
    take(Math.min(start, snippet.length), false);
    take(Math.min(end, snippet.length), true);
  }
  take(snippet.length, false);
  return pieces;
}
