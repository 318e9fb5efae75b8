import type { Child } from '../sides/child.ts';
import { ask, type Model } from '../sides/model.ts';
import type { Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';
import { call, inParallel } from './calls.ts';
import { Connection, type WireRequest } from './connection.ts';
import { pause } from './statistics.ts';
import { Tally } from './tally.ts';

export interface CrowdPlan {
  conversations: number;
  /** Between two tokens of an answer. */
  delayMs: number;
  /** A conversation is answered in turns of so many tokens, one after the other without a pause. */
  turnTokens: number;
  /** The conversations begin spread over this time. */
  rampMs: number;
  /** How long all of them are live, and measured. */
  windowMs: number;
}

export interface CrowdResult {
  /** Share of what was due in the window that arrived in it. */
  delivered: number;
  /** Share of what was due that the model said: below 1, the server was late to ask it, or the machine too slow. */
  modelShare: number;
  errors: number;
  firstError: string;
  lagP50: number;
  lagP99: number;
  cpuPerTokenUs: number;
  /** Share of one core. */
  cores: number;
  /** Share of the time in which the server wanted a core that somebody else had. */
  waited: number;
  rssMb: number;
}

const SETTLE_MS = 1000;
const PATIENCE_MS = 8000;

/** Every conversation reads its own answer from a stream of its own. */
export async function crowdOfStreams(side: Side, model: Model, plan: CrowdPlan): Promise<CrowdResult> {
  const ids = await inParallel(plan.conversations, 20, () => side.open());
  return measureStreams(side.child, side.child.port, model, plan, (index, text) => side.turn(ids[index]!, text));
}

/** The model alone, to know that it is not what is being measured. */
export function crowdOfModel(model: Model, plan: CrowdPlan): Promise<CrowdResult> {
  return measureStreams(model.child, model.child.port, model, plan, (_, text) => model.turn(text));
}

function measureStreams(
  child: Child,
  port: number,
  model: Model,
  plan: CrowdPlan,
  request: (index: number, text: string) => WireRequest,
): Promise<CrowdResult> {
  const connections = Array.from({ length: plan.conversations }, () => new Connection(port));
  const crowd = new Crowd(child, model, plan, 1);
  const speak = async (index: number, text: string) => {
    await connections[index]!.stream(request(index, text), crowd.tally);
  };
  return crowd.run(speak).finally(() => {
    for (const connection of connections) connection.close();
  });
}

/** A few clients watch all conversations over the shared event stream. */
export async function crowdOfWatched(
  parley: Parley,
  model: Model,
  plan: CrowdPlan,
  watchers: number,
): Promise<CrowdResult> {
  const ids = await inParallel(plan.conversations, 20, () => parley.open());
  const crowd = new Crowd(parley.child, model, plan, watchers);
  const watching = Array.from({ length: watchers }, () => new Connection(parley.child.port));
  for (const watcher of watching) {
    const ended = watcher.stream(parley.get('/api/events'), crowd.tally);
    ended.catch((error: Error) => crowd.fail(error));
  }
  await pause(300);
  const speak = async (index: number, text: string) => {
    const { status, text: answer } = await call(parley.child.url, parley.message(ids[index]!, text));
    if (status !== 202) throw new Error(`${status} ${answer}`);
  };
  const settled = () => crowd.tally.settled >= crowd.begun * watchers;
  return crowd.run(speak, settled).finally(() => {
    for (const watcher of watching) watcher.close();
  });
}

class Crowd {
  readonly tally = new Tally();
  readonly #child: Child;
  readonly #model: Model;
  readonly #plan: CrowdPlan;
  readonly #copies: number;
  /** The turns that have begun. */
  begun = 0;
  #firstError = '';
  #errors = 0;

  constructor(child: Child, model: Model, plan: CrowdPlan, copies: number) {
    this.#child = child;
    this.#model = model;
    this.#plan = plan;
    this.#copies = copies;
  }

  fail(error: Error): void {
    this.#errors += 1;
    this.#firstError ||= error.message;
  }

  async run(speak: (index: number, text: string) => Promise<void>, isOver?: () => boolean): Promise<CrowdResult> {
    const speaking = this.#begin(speak);
    await pause(this.#plan.rampMs + SETTLE_MS);
    const figures = await this.#measure();
    const patience = this.#plan.rampMs + PATIENCE_MS;
    await Promise.race([Promise.all(speaking), pause(patience)]);
    for (const until = Date.now() + patience; isOver && !isOver() && Date.now() < until; ) await pause(100);
    if (isOver && !isOver()) this.fail(new Error(`only ${this.tally.settled} endings were seen`));
    const errors = this.#errors + this.tally.errors;
    return { ...figures, errors, firstError: this.#firstError };
  }

  #begin(speak: (index: number, text: string) => Promise<void>): Promise<void>[] {
    const { conversations, rampMs, windowMs } = this.#plan;
    return Array.from({ length: conversations }, (_, index) => {
      const beginsMs = (index * rampMs) / conversations;
      // They end as one after the other as they began, but closer together, so that nobody waits long for the last.
      const endsMs = rampMs + windowMs + 2 * SETTLE_MS + beginsMs / 3;
      return this.#converse(beginsMs, endsMs, (text) => speak(index, text));
    });
  }

  /** A turn is due when the last token of the one before it is, however late that one was. */
  async #converse(beginsMs: number, endsMs: number, speak: (text: string) => Promise<void>): Promise<void> {
    const { delayMs, turnTokens } = this.#plan;
    const startedAt = performance.now();
    for (let dueMs = beginsMs; dueMs < endsMs; dueMs += turnTokens * delayMs) {
      await pause(Math.max(0, startedAt + dueMs - performance.now()));
      const tokens = Math.min(turnTokens, Math.ceil((endsMs - dueMs) / delayMs));
      this.begun += 1;
      await speak(ask(tokens, delayMs)).catch((error: Error) => this.fail(error));
    }
  }

  async #measure(): Promise<Omit<CrowdResult, 'errors' | 'firstError'>> {
    const { tally } = this;
    const { conversations, windowMs, delayMs } = this.#plan;
    const before = await this.#model.said();
    const cpuBefore = this.#child.cpuMs();
    const waitedBefore = this.#child.waitedMs();
    const startedAt = performance.now();
    tally.openWindow();
    await pause(windowMs);
    tally.closeWindow();
    const elapsedMs = performance.now() - startedAt;
    const cpuMs = this.#child.cpuMs() - cpuBefore;
    const rssMb = this.#child.rssMb();
    const after = await this.#model.said();
    // It is asked a little before and after the window, so its rate counts and not its sum.
    const said = ((after.tokens - before.tokens) * elapsedMs) / (after.at - before.at);
    const heard = tally.tokens / this.#copies;
    const due = (conversations * elapsedMs) / delayMs;
    return {
      delivered: Math.min(1, heard / due),
      modelShare: said / due,
      lagP50: tally.lag(0.5),
      lagP99: tally.lag(0.99),
      cpuPerTokenUs: (cpuMs * 1000) / heard,
      cores: cpuMs / elapsedMs,
      waited: (this.#child.waitedMs() - waitedBefore) / elapsedMs,
      rssMb,
    };
  }
}
