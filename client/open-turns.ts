import type { Turn } from '../contract/turns.ts';
import { beginTurn, type LiveTurn } from './live-turn.ts';

/** The turns of one session that have begun and not ended: each works for the one before it, the last one speaks. */
export type OpenTurns = readonly LiveTurn[];

/** From a list in any order: a delegate's turn stands after the turn it works for. */
export function openTurnsOf(turns: readonly Turn[]): OpenTurns {
  const open = new Map(turns.filter(isUnderWay).map((turn) => [turn.id, turn]));
  return [...open.values()]
    .map((turn) => ({ turn, depth: depthOf(turn, open) }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ turn }) => beginTurn(turn));
}

function isUnderWay({ state }: Turn): boolean {
  return state === 'running' || state === 'waiting';
}

function depthOf(turn: Turn, open: ReadonlyMap<string, Turn>): number {
  let depth = 0;
  for (let at: Turn | undefined = turn; at?.parentTurnId != null && depth <= open.size; depth++)
    at = open.get(at.parentTurnId);
  return depth;
}

/** Takes the place of what was known of the turn, or is the innermost from now on. */
export function putTurn(open: OpenTurns, live: LiveTurn): OpenTurns {
  const at = open.findIndex(({ turnId }) => turnId === live.turnId);
  return at < 0 ? [...open, live] : open.with(at, live);
}

export function changeTurn(open: OpenTurns, turnId: string | null, change: (live: LiveTurn) => LiveTurn): OpenTurns {
  const known = open.find((live) => live.turnId === turnId);
  if (!known) return open;
  const changed = change(known);
  return changed === known ? open : putTurn(open, changed);
}

export function dropTurn(open: OpenTurns, turnId: string): OpenTurns {
  return open.filter((live) => live.turnId !== turnId);
}
