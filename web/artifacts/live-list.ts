import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ArtifactChanged } from '../../contract/artifacts.ts';
import type { ListItem } from '../../contract/lists.ts';
import type { ArtifactFrame, Live } from '../live/live.ts';
import { useLiveConnection } from '../live/use-live.ts';
import {
  afterChange,
  EMPTY_LIST,
  type ListState,
  needsReading,
  withItem,
  withItems,
  withoutItems,
} from './list-state.ts';

const PAGE = 1000;
const LINGER_MS = 30_000;

/** A list with its items, kept up to date for as long as something shows it. */
export class LiveList {
  readonly id: string;
  readonly store: StoreApi<ListState> = createStore<ListState>()(() => EMPTY_LIST);
  readonly #live: Live;
  #users = 0;
  #round = 0;
  #end: (() => void) | null = null;
  #linger: ReturnType<typeof setTimeout> | undefined;
  /** What was told while pages were being read: it is applied to each of them once more. */
  #frames: ArtifactChanged[] = [];

  constructor(live: Live, id: string) {
    this.#live = live;
    this.id = id;
  }

  use(): () => void {
    clearTimeout(this.#linger);
    this.#users += 1;
    this.#end ??= this.#follow();
    return () => {
      this.#users -= 1;
      if (this.#users === 0) this.#linger = setTimeout(() => this.#stop(), LINGER_MS);
    };
  }

  /** Everything once more. */
  async read(): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.#frames = [];
    try {
      const list = await this.#live.client.call('getList', { listId: this.id });
      if (round !== this.#round) return;
      this.#change((state) => ({ ...state, list, problem: null }));
      await this.#readPages(round);
    } catch (problem) {
      if (round === this.#round) this.#change((state) => ({ ...state, problem: problem as Error }));
    }
  }

  /** What the server answered need not wait to be told. */
  put(items: readonly ListItem[]): void {
    this.#change((state) => items.reduce(withNewer, state));
  }

  /** Shown at once; `put` says what became of it. */
  foresee(items: readonly ListItem[]): void {
    this.#change((state) => items.reduce(withItem, state));
  }

  drop(ids: readonly string[]): void {
    this.#change((state) => withoutItems(state, ids));
  }

  async #readPages(round: number): Promise<void> {
    const seen = new Set<string>();
    for (let after: string | null | undefined; after !== null; ) {
      const query = { limit: PAGE, ...(after !== undefined && { after }) };
      const page = await this.#live.client.call('listItems', { listId: this.id, query });
      if (round !== this.#round) return;
      for (const { id } of page.items) seen.add(id);
      after = page.next;
      this.#change((state) => this.#again(withItems(state, page.items)));
    }
    this.#change((state) => {
      // What was here before and is in no page any more was deleted meanwhile.
      const gone = state.order.filter((id) => !seen.has(id) && !this.#wasTold(id));
      return { ...withoutItems(state, gone), isComplete: true };
    });
    this.#frames = [];
  }

  #wasTold(itemId: string): boolean {
    return this.#frames.some(({ changes }) => changes.some((change) => change.itemId === itemId));
  }

  #again(state: ListState): ListState {
    return this.#frames.flatMap(({ changes }) => changes).reduce(afterChange, state);
  }

  #follow(): () => void {
    void this.read();
    const ends = [
      this.#live.onArtifact((frame) => this.#hear(frame)),
      this.#live.store.subscribe((state, before) => {
        if (state.connection === 'open' && before.connection !== 'open') void this.read();
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  #hear(frame: ArtifactFrame): void {
    if (frame.type === 'artifacts.missed') return void this.read();
    if (frame.artifactId !== this.id) return;
    const { list, isComplete } = this.store.getState();
    if (frame.type === 'artifact.removed') return void this.read();
    if (!isComplete) this.#frames.push(frame);
    const from = frame.version - frame.changes.length;
    const isGap = frame.changes.length === 0 || (list !== null && from > list.version);
    const isMoved = frame.changes.some((change) => needsReading(this.store.getState(), change, this.id));
    if (isGap || isMoved) return void this.read();
    this.#change((state) => withVersion(frame.changes.reduce(afterChange, state), frame.version));
    if (frame.changes.some(({ itemId }) => itemId === null)) void this.#readList();
  }

  async #readList(): Promise<void> {
    const list = await this.#live.client.call('getList', { listId: this.id }).catch(() => null);
    if (list) this.#change((state) => ({ ...state, list }));
  }

  #stop(): void {
    this.#end?.();
    this.#end = null;
    this.#round += 1;
    this.store.setState(EMPTY_LIST, true);
    lists.delete(this.id);
  }

  #change(next: (state: ListState) => ListState): void {
    this.store.setState(next, true);
  }
}

/** A frame can come before the answer to the request that caused it, which is older then. */
function withNewer(state: ListState, item: ListItem): ListState {
  const known = state.items.get(item.id);
  return known && known.version > item.version ? state : withItem(state, item);
}

function withVersion(state: ListState, version: number): ListState {
  if (!state.list || state.list.version >= version) return state;
  return { ...state, list: { ...state.list, version } };
}

const lists = new Map<string, LiveList>();

export function liveListOf(live: Live, listId: string): LiveList {
  const known = lists.get(listId) ?? new LiveList(live, listId);
  lists.set(listId, known);
  return known;
}

/** A list and its items, drawn anew when they change. */
export function useLiveList(listId: string): readonly [ListState, LiveList] {
  const live = useLiveConnection();
  const [list] = useState(() => liveListOf(live, listId));
  useEffect(() => list.use(), [list]);
  return [useStore(list.store), list];
}
