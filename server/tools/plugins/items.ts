import { randomInt } from 'node:crypto';
import type { ToolContext } from '../tool.ts';

/** What every plugin keeps of a thing, and `data`, which is its own. */
export interface Item<Data> {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly data: Data;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewItem<Data> = Pick<Item<Data>, 'title' | 'text' | 'data'>;

export interface Added<Data> {
  readonly item: Item<Data>;
  readonly isNew: boolean;
}

/** For whom a plugin keeps things, and which agent is at work. */
export type Keeping = Pick<ToolContext, 'owner' | 'agentId' | 'sessionId' | 'turnId' | 'tx'>;

/** Where a plugin keeps its things. */
export interface KeptItems<Data> {
  /** Gives back the one that is already there, where something says that it is the same. */
  add(keeping: Keeping, item: NewItem<Data>): Promise<Added<Data>>;
  get(keeping: Keeping, id: string): Promise<Item<Data>>;
  /** Newest first, in pages, so that a long list neither fills the memory nor holds up others. */
  all(keeping: Keeping, before?: string): AsyncIterable<Item<Data>>;
  change(keeping: Keeping, id: string, change: (item: Item<Data>) => NewItem<Data>): Promise<Item<Data>>;
  remove(keeping: Keeping, id: string): Promise<void>;
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;

let last = 0;

/** Short enough for a model to repeat, and in the order in which they were made, also when the clock goes back. */
export function newItemId(now: number = Date.now()): string {
  last = Math.max(now, last + 1);
  return inDigits(last) + DIGITS[randomInt(DIGITS.length)];
}

function inDigits(time: number): string {
  let text = '';
  for (let rest = time; text.length < TIME_LENGTH; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS[rest % DIGITS.length] + text;
  return text;
}
