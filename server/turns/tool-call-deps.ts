import type { Limits } from '../../contract/config.ts';
import type { EventLog } from '../events/log.ts';
import type { BackgroundSession, BackgroundWork } from '../tools/tool.ts';
import type { Toolset } from '../tools/toolset.ts';
import type { Actions } from './actions.ts';
import type { Flusher } from './flusher.ts';
import type { RunningTurn } from './running-turn.ts';

/** What carrying out tool calls needs from the rest of the server. */
export interface ToolCallDeps {
  readonly log: EventLog;
  readonly flusher: Flusher;
  readonly actions: Actions;
  limits(): Limits;
  /** What the agent may use at this moment; null when it is no longer configured. */
  scope(running: RunningTurn): Promise<Toolset | null>;
  /** Called when the turn starts or stops waiting: a waiting turn needs no slot. */
  balance(running: RunningTurn): void;
  background(running: RunningTurn, callId: string | null, work: BackgroundWork): Promise<BackgroundSession>;
  turnToken(running: RunningTurn): string;
  report(problem: string, error: unknown): void;
}
