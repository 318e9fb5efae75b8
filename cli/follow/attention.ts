import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../../contract/actions.ts';
import { describeAction } from '../actions/describe.ts';
import { ActionDesk, type PersonHere } from '../actions/desk.ts';
import { howToAnswer } from '../actions/how-to-answer.ts';
import type { Connection, HomeOption } from '../connect.ts';
import { CommandFailure, EXIT_WAITING } from '../failure.ts';
import { note } from '../output.ts';

/** Gets a person's answer to what is asked while a turn is followed. */
export interface Attention {
  opened(action: Action): void;
  settled(action: Action): void;
  /** While the person is asked, nothing else is printed. */
  readonly isAsking: boolean;
  /** Resolves when there is nothing left to ask. */
  readonly idle: Promise<void>;
}

export interface AttentionOptions extends HomeOption {
  json?: boolean | undefined;
  /** Leave instead of waiting for a person. */
  wait?: boolean | undefined;
}

/** Asks in place where a person can answer; elsewhere says what is wanted, and how to answer it. */
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
  readonly #homeOption: HomeOption;
  readonly #leaves: boolean;

  constructor(homeOption: HomeOption, leaves: boolean) {
    this.#homeOption = homeOption;
    this.#leaves = leaves;
  }

  opened(action: Action): void {
    if (action.kind === 'failure') return;
    for (const line of [...describeAction(action), 'Answer it with:', ...howToAnswer(action, this.#homeOption)])
      note(line);
    // Without a server, this command holds the data folder: no other command could answer while it waits.
    if (this.#leaves)
      throw new CommandFailure('The turn is waiting for you. It continues when you answer.', EXIT_WAITING);
  }

  settled(): void {}
}

const DRAIN_MS = 50;
const CTRL_C = '\u0003';

/** The person at the terminal of a command. Questions go to stderr, beside what a pipe carries on. */
class TerminalPerson implements PersonHere {
  #lines: Interface | undefined;
  /** Typed faster than asked for, but after the first question. */
  #typed: string[] = [];
  #awaiting: ((line: string) => void) | null = null;

  say(line: string): void {
    note(line);
  }

  /** What was typed before the question was shown is no answer. */
  async begin(): Promise<void> {
    await drain();
    this.#typed = [];
    this.#lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true, historySize: 0 });
    // The key is not for the question but for the turn.
    this.#lines.on('SIGINT', () => process.emit('SIGINT'));
    this.#lines.on('line', (line) => this.#hear(line));
  }

  end(): void {
    this.#lines?.close();
    this.#lines = undefined;
  }

  async ask(prompt: string, draft: string | undefined, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    this.#lines?.setPrompt(prompt);
    this.#lines?.prompt();
    if (draft !== undefined && this.#typed.length === 0) this.#lines?.write(draft);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const giveUp = () => {
      note('');
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#awaiting = resolve;
    this.#hear(this.#typed.shift());
    return promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  #hear(line: string | undefined): void {
    if (line === undefined) return;
    if (!this.#awaiting) this.#typed.push(line);
    this.#awaiting?.(line);
    this.#awaiting = null;
  }
}

/** Takes from the terminal what is there already. */
async function drain(): Promise<void> {
  const { stdin } = process;
  const discard = (keys: Buffer) => void (keys.includes(CTRL_C) && process.emit('SIGINT'));
  stdin.setRawMode(true);
  stdin.on('data', discard);
  await sleep(DRAIN_MS);
  stdin.off('data', discard);
  stdin.setRawMode(false);
}
