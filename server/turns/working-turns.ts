import type { TurnRow } from '../storage/tables.ts';
import type { TurnEngine } from './engine.ts';

export interface WorkingTurn {
  turnId: string;
  agentId: string;
  /** Of a command in the background, which works under the name of the agent that started it. */
  title: string | null;
  /** Cancelling this turn stops the work without telling the caller, which would then start another turn. */
  cancelWith: string;
}

/** The turns that run now and wait for no person. */
export function workingTurns(turns: TurnEngine): WorkingTurn[] {
  const running = new Map(turns.runningNow.map(({ turn }) => [turn.id, turn]));
  return turns.runningNow
    .filter(({ waitsFor }) => waitsFor.size === 0)
    .map(({ turn, sessionType }) => ({
      turnId: turn.id,
      agentId: turn.agent_id,
      title: sessionType === 'tool-execution' ? `a command of ${turn.agent_id}` : null,
      cancelWith: topmostOf(turn, running),
    }));
}

/** The caller from which a turn and every running turn above it are stopped. */
function topmostOf(turn: TurnRow, running: ReadonlyMap<string, TurnRow>): string {
  const parent = turn.parent_turn_id === null ? undefined : running.get(turn.parent_turn_id);
  return parent ? topmostOf(parent, running) : (turn.parent_turn_id ?? turn.id);
}
