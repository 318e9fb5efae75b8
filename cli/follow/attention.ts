import type { Action } from '../../contract/actions.ts';
import { describeAction } from '../actions/describe.ts';
import { ActionDesk } from '../actions/desk.ts';
import { howToAnswer } from '../actions/how-to-answer.ts';
import type { Connection, Place } from '../connect.ts';
import { CommandFailure, EXIT_WAITING } from '../failure.ts';
import { note } from '../output.ts';
import { TerminalPerson } from './terminal-person.ts';

/** Gets a person's answer to what is asked while a turn is followed. */
export interface Attention {
  opened(action: Action): void;
  settled(action: Action): void;
  /** While the person is asked, nothing else is printed. */
  readonly isAsking: boolean;
  /** Resolves when there is nothing left to ask. */
  readonly idle: Promise<void>;
}

export interface AttentionOptions extends Place {
  json?: boolean | undefined;
  /** Leave instead of waiting for a person. */
  wait?: boolean | undefined;
}

/** Asks in place where somebody can answer; elsewhere says what is wanted, and how to answer it. */
export function attend({ client, inProcess }: Connection, options: AttentionOptions, onIdle: () => void): Attention {
  if (options.wait !== false && !options.json && canAsk())
    return new InPlace(new ActionDesk(client, new TerminalPerson(), onIdle));
  return new Notice(options, options.wait === false || inProcess);
}

function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

class InPlace implements Attention {
  readonly #desk: ActionDesk;

  constructor(desk: ActionDesk) {
    this.#desk = desk;
  }

  get isAsking(): boolean {
    return this.#desk.isAsking;
  }

  get idle(): Promise<void> {
    return this.#desk.idle;
  }

  opened(action: Action): void {
    this.#desk.open(action);
  }

  settled(action: Action): void {
    this.#desk.settle(action);
  }
}

class Notice implements Attention {
  readonly isAsking = false;
  readonly idle = Promise.resolve();
  readonly #place: Place;
  readonly #leaves: boolean;

  constructor(place: Place, leaves: boolean) {
    this.#place = place;
    this.#leaves = leaves;
  }

  opened(action: Action): void {
    if (action.kind === 'failure') return;
    for (const line of [...describeAction(action), 'Answer it with:', ...howToAnswer(action, this.#place)]) note(line);
    // Without a server, nobody else gets at the data folder as long as this command waits.
    if (this.#leaves)
      throw new CommandFailure('The turn is waiting for you. It continues when you answer.', EXIT_WAITING);
  }

  settled(): void {}
}
