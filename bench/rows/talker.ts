import { Connection } from '../load/connection.ts';
import { median } from '../load/statistics.ts';
import { Tally } from '../load/tally.ts';
import { ask, askWithCalls, type Chore, type Model } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';

export const TOKENS = 20;

/** What is said in every turn of a conversation, and how many tool calls that leads to. */
export interface Script {
  text: string;
  calls: number;
  /** The delegate answers in a conversation that is as new as the one in which it is asked. */
  newDelegate: boolean;
}

export const PLAIN: Script = { text: ask(TOKENS), calls: 0, newDelegate: false };

export function withCalls(calls: number, chore: Chore): Script {
  return { text: askWithCalls(TOKENS, calls, chore), calls, newDelegate: chore === 'latest' };
}

/** What turns of one kind have cost, conversation by conversation. */
export class Spent {
  readonly cpuMs: number[] = [];
  readonly wholeMs: number[] = [];

  get cpu(): number {
    return median(this.cpuMs);
  }

  get time(): number {
    return median(this.wholeMs);
  }
}

/** Speaks with one side, one turn after the other. */
export class Talker {
  readonly side: Side;
  readonly #connection: Connection;

  constructor(side: Side) {
    this.side = side;
    this.#connection = new Connection(side.child.port);
  }

  /** A conversation of its own, whose beginning does not count. */
  async converse(script: Script, turns: number, spent = new Spent()): Promise<void> {
    const conversation = await this.side.open();
    if (script.newDelegate) await this.#renewDelegate();
    const request = this.side.turn(conversation, script.text);
    const before = this.side.child.cpuMs();
    for (let turn = 0; turn < turns; turn++) {
      const tally = new Tally();
      const heard = await this.#connection.stream(request, tally);
      this.#check(script, heard, tally);
      spent.wholeMs.push(heard.wholeMs);
    }
    spent.cpuMs.push((this.side.child.cpuMs() - before) / turns);
  }

  /** Work goes to the newest session that was made for work: from now on that is a new one, made for another conversation. */
  async #renewDelegate(): Promise<void> {
    const elsewhere = await this.side.open();
    await this.#connection.stream(this.side.turn(elsewhere, withCalls(1, 'create').text), new Tally());
  }

  /** Without the calls there would be no answer; only Parley tells how they went. */
  #check({ calls }: Script, heard: { tokens: number; calls: number }, tally: Tally): void {
    const { name } = this.side;
    if (heard.tokens !== TOKENS) throw new Error(`${name}: ${heard.tokens} of ${TOKENS} tokens arrived`);
    if (tally.errors > 0) throw new Error(`${name}: a turn did not complete`);
    if (this.side instanceof Parley && heard.calls !== calls)
      throw new Error(`${name}: ${heard.calls} of ${calls} tool calls went well`);
  }

  close(): void {
    this.#connection.close();
  }
}

/** How long the model itself takes for requests like these, asked directly. */
export async function timeModel(model: Model, texts: readonly string[]): Promise<number> {
  const connection = new Connection(model.child.port);
  const sums: number[] = [];
  for (let round = 0; round < 100; round++) {
    let sum = 0;
    for (const text of texts) sum += (await connection.stream(model.turn(text), new Tally())).wholeMs;
    sums.push(sum);
  }
  connection.close();
  return median(sums);
}
