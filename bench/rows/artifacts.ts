import type { Measurement } from '../bench.ts';
import { callJson, timeCall } from '../load/calls.ts';
import type { WireRequest } from '../load/connection.ts';
import { median } from '../load/statistics.ts';
import { compare, type Row } from '../report.ts';
import { Parley } from '../sides/parley.ts';

const FEW = 10;
const MANY = 2000;
const ITEMS = 10_000;
const AT_ONCE = 500;
const PAGE = 1000;

/** Lists: what one change costs, whether that depends on how many lists there are, and a long list. */
export const artifacts: Measurement = {
  name: 'artifacts',
  about: 'one change of a list, with few and with many lists; opening and querying 10,000 items',
  async run({ model, quick }) {
    const side = new Lists(await Parley.start({ modelUrl: model.url }));
    try {
      const changes = quick ? 100 : 400;
      await side.addLists(FEW);
      const few = await side.cpuPerChange(changes);
      await side.addLists(MANY - FEW);
      const many = await side.cpuPerChange(changes);
      await side.fill('long', ITEMS);
      const opening = await side.time(quick ? 5 : 15, () => side.open('long'));
      const querying = await side.time(quick ? 5 : 15, () => side.query());
      return toRows({ few, many, opening, querying });
    } finally {
      await side.stop();
    }
  },
};

interface Figures {
  few: number;
  many: number;
  opening: number;
  querying: number;
}

/** The baselines are the goals themselves: there is nothing bare that keeps lists. */
function toRows({ few, many, opening, querying }: Figures): Row[] {
  const goal = (row: string, baseline: number, parley: number) =>
    compare({ row, baselineName: 'goal', baseline, parley, unit: 'ms', atMost: 1 });
  return [
    goal(`one change of an item, CPU, ${FEW} lists`, 5, few),
    compare({
      row: `one change of an item, CPU, ${MANY.toLocaleString('en')} lists`,
      baselineName: `${FEW} lists`,
      baseline: few,
      parley: many,
      unit: 'ms',
      atMost: 1.3,
    }),
    goal(`open ${ITEMS.toLocaleString('en')} items, p50`, 100, opening),
    goal(`a query over ${ITEMS.toLocaleString('en')} items, p50`, 100, querying),
  ];
}

class Lists {
  readonly #parley: Parley;
  #lists = 0;

  constructor(parley: Parley) {
    this.#parley = parley;
  }

  async addLists(count: number): Promise<void> {
    for (let index = 0; index < count; index++) await this.fill(`l${this.#lists++}`, 3);
  }

  async fill(id: string, count: number): Promise<void> {
    await this.#call('POST', '/api/lists', { id, name: `List ${id}` });
    for (let from = 0; from < count; from += AT_ONCE) {
      const items = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => ({
        id: `${id}-${from + index}`,
        title: `item ${from + index}`,
        ...(index % 3 === 0 && { due: `2026-0${(index % 9) + 1}-01`, tags: ['one', 'two'] }),
      }));
      await this.#call('POST', `/api/lists/${id}/items`, { items });
    }
  }

  /** One after the other, of the same list. */
  async cpuPerChange(count: number): Promise<number> {
    for (let round = 0; round < count; round++) await this.#change(round);
    const before = this.#parley.child.cpuMs();
    for (let round = 0; round < count; round++) await this.#change(round);
    return (this.#parley.child.cpuMs() - before) / count;
  }

  #change(round: number): Promise<unknown> {
    return this.#call('PATCH', '/api/lists/l0/items/l0-1', { title: `changed ${round} ${performance.now()}` });
  }

  async time(rounds: number, work: () => Promise<number>): Promise<number> {
    await work();
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await work());
    return median(times);
  }

  /** Every page, as a panel reads them. */
  async open(id: string): Promise<number> {
    let total = 0;
    for (let after: string | null = ''; after !== null; ) {
      const path = `/api/lists/${id}/items?limit=${PAGE}${after && `&after=${after}`}`;
      const startedAt = performance.now();
      const page: { next: string | null } = await this.#call('GET', path);
      total += performance.now() - startedAt;
      after = page.next;
    }
    return total;
  }

  query(): Promise<number> {
    const filters = [{ field: 'due', test: 'before', value: '2026-06-01' }];
    const query = { lists: ['long'], filters, sort: [{ field: 'due' }, { field: 'title' }], group: 'tags' };
    return timeCall(this.#parley.child.url, this.#request('POST', '/api/view-queries', { query }));
  }

  stop(): Promise<void> {
    return this.#parley.stop();
  }

  #call<T>(method: string, path: string, body?: object): Promise<T> {
    return callJson<T>(this.#parley.child.url, this.#request(method, path, body));
  }

  #request(method: string, path: string, body?: object): WireRequest {
    return { method, path, headers: this.#parley.headers, ...(body && { body }) } as WireRequest;
  }
}
