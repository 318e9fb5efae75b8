import { randomUUID } from 'node:crypto';
import { tooLarge } from './sse.ts';
import type { ModelEvent } from './types.ts';

export interface ToolCallDelta {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

interface Growing {
  id: string;
  name: string;
  input: string;
}

/** Puts the pieces of tool calls together. Servers disagree on index and id: either may be missing or repeated. */
export class ToolCalls {
  readonly #limit: number;
  readonly #calls: Growing[] = [];
  readonly #byIndex = new Map<number, Growing>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(delta: ToolCallDelta): void {
    const call = this.#find(delta);
    const name = delta.function?.name;
    if (typeof name === 'string' && name !== call.name) call.name += name;
    call.input += inputPiece(delta.function?.arguments);
    if (call.input.length > this.#limit) throw tooLarge(this.#limit);
  }

  /** All calls, in the order they began. */
  take(): ModelEvent[] {
    const calls = this.#calls.splice(0);
    return calls.map(({ id, name, input }) => ({ type: 'tool_call', id, name, input: input === '' ? '{}' : input }));
  }

  #find(delta: ToolCallDelta): Growing {
    const id = typeof delta.id === 'string' && delta.id !== '' ? delta.id : undefined;
    const index = typeof delta.index === 'number' ? delta.index : undefined;
    const known = index === undefined ? this.#unnumbered(delta, id) : this.#byIndex.get(index);
    return known && (id === undefined || known.id === id) ? known : this.#begin(index, id);
  }

  /** Without a number, a piece that names neither an id nor a tool goes on where the last one stopped. */
  #unnumbered(delta: ToolCallDelta, id: string | undefined): Growing | undefined {
    if (id !== undefined) return this.#calls.find((call) => call.id === id);
    return delta.function?.name ? undefined : this.#calls.at(-1);
  }

  #begin(index: number | undefined, id: string | undefined): Growing {
    const call = { id: id ?? `call_${randomUUID()}`, name: '', input: '' };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

function inputPiece(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
