import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action } from '../../contract/actions.ts';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { safeLine } from '../terminal-text.ts';
import { askPerson, type Person } from './ask-person.ts';
import { describeAction } from './describe.ts';
import { howToAnswer } from './how-to-answer.ts';
import { sayAnswer } from './said.ts';

/** A person who can be told in the middle of a question that it is over. */
export interface PersonHere {
  ask(prompt: string, draft: string | undefined, signal: AbortSignal): Promise<string>;
  say(line: string): void;
  /** Around everything that is asked about one action. */
  begin?(): Promise<void>;
  end?(): void;
}

/** Shows the person the open actions one after the other, and sends what they decide. */
export class ActionDesk {
  readonly #client: ParleyClient;
  readonly #person: PersonHere;
  readonly #onIdle: () => void;
  readonly #known = new Set<string>();
  #waiting: Action[] = [];
  #asked: { action: Action; over: AbortController } | null = null;
  #idle = Promise.resolve();

  constructor(client: ParleyClient, person: PersonHere, onIdle: () => void) {
    this.#client = client;
    this.#person = person;
    this.#onIdle = onIdle;
  }

  get isAsking(): boolean {
    return this.#asked !== null;
  }

  /** Resolves when nothing is left to ask. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  /** Failures are left out: their turn is over, and no turn waits for the answer. */
  open(action: Action): void {
    if (action.kind === 'failure' || this.#known.has(action.id)) return;
    this.#known.add(action.id);
    this.#waiting.push(action);
    if (!this.isAsking) this.#idle = this.#askAll();
  }

  /** Answered elsewhere, or no longer of interest. */
  settle(action: Action): void {
    this.#waiting = this.#waiting.filter(({ id }) => id !== action.id);
    if (this.#asked?.action.id === action.id) this.#asked.over.abort();
  }

  /** What was put off is asked again. */
  openAgain(actions: Iterable<Action>): void {
    for (const action of actions) {
      this.#known.delete(action.id);
      this.open(action);
    }
  }

  async #askAll(): Promise<void> {
    for (let action = this.#waiting.shift(); action; action = this.#waiting.shift()) {
      const over = new AbortController();
      this.#asked = { action, over };
      await this.#ask(action, over.signal);
    }
    this.#asked = null;
    this.#onIdle();
  }

  async #ask(action: Action, signal: AbortSignal): Promise<void> {
    for (const line of describeAction(action)) this.#person.say(line);
    await this.#person.begin?.();
    try {
      while (!signal.aborted && !(await this.#decide(action, signal)));
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#person.say('(already settled)');
    } finally {
      this.#person.end?.();
    }
  }

  /** False when the answer did not fit or did not get through: then it is asked again. */
  async #decide(action: Action, signal: AbortSignal): Promise<boolean> {
    const answer = await askPerson(toPerson(this.#person, signal), action);
    if (!answer) {
      for (const line of ['Still waiting. Answer later with:', ...howToAnswer(action)]) this.#person.say(line);
      return true;
    }
    try {
      await this.#client.call('answerAction', { actionId: action.id, body: answer });
      this.#person.say(sayAnswer(action, answer));
      return true;
    } catch (error) {
      this.#person.say(safeLine(error instanceof Error ? error.message : String(error)));
      return error instanceof AppError && OVER.has(error.code);
    }
  }
}

const OVER: ReadonlySet<ErrorCode> = new Set(['action_settled', 'action_not_found']);

function toPerson(person: PersonHere, signal: AbortSignal): Person {
  return { ask: (prompt, draft) => person.ask(prompt, draft, signal), say: (line) => person.say(line) };
}
