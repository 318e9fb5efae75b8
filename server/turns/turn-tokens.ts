import { randomBytes } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { RunningTurn } from './running-turn.ts';

/** What a program started by a turn shows to act as that turn. It dies with the turn and is never on disk. */
export class TurnTokens {
  readonly #byToken = new Map<string, RunningTurn>();
  readonly #byTurn = new Map<RunningTurn, string>();

  /** `earlier`: the token of a program that goes on between turns; it is the turn's unless another turn has it. */
  of(running: RunningTurn, earlier?: string): string {
    const known = this.#byTurn.get(running);
    if (known) return known;
    if (running.over.isOver) throw new AppError('turn_token_invalid', say('turn_token_invalid.over'));
    const isFree = earlier !== undefined && !this.#byToken.has(earlier);
    const token = isFree ? earlier : `parley-turn-${randomBytes(32).toString('base64url')}`;
    this.#byToken.set(token, running);
    this.#byTurn.set(running, token);
    return token;
  }

  find(token: string): RunningTurn | undefined {
    return this.#byToken.get(token);
  }

  require(token: string): RunningTurn {
    const running = this.find(token);
    if (running && !running.stop && !running.over.isOver) return running;
    throw new AppError('turn_token_invalid', say('turn_token_invalid'));
  }

  revoke(running: RunningTurn): void {
    const token = this.#byTurn.get(running);
    if (token === undefined) return;
    this.#byTurn.delete(running);
    this.#byToken.delete(token);
  }
}
