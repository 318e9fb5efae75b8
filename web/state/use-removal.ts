import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { focusDialog } from '../ui/keyboard-focus.ts';
import { notify } from '../ui/toast.tsx';

interface Kept {
  readonly id: string;
  readonly name: string;
}

/** How a kind of thing is deleted, and made anew. */
export interface RemovalVerbs<Item extends Kept> {
  /** The list that is read again. */
  readonly list: string;
  remove(item: Item): Promise<unknown>;
  create(item: Item): Promise<Kept>;
  problem(error: Error): string;
}

export interface Removal<Item extends Kept> {
  /** The one that was deleted last, and can be taken back. */
  readonly removed: Item | null;
  /** The ID of the one that was taken back last. */
  readonly restored: string | null;
  remove(item: Item): void;
  restore(): void;
}

/** Deleted at once, everywhere; taking it back makes it anew. */
export function useRemoval<Item extends Kept>(verbs: RemovalVerbs<Item>): Removal<Item> {
  const queries = useQueryClient();
  const [removed, setRemoved] = useState<Item | null>(null);
  const [restored, setRestored] = useState<string | null>(null);
  const attempt = async (work: () => Promise<unknown>, onFailure: () => void) => {
    try {
      await work();
      await queries.invalidateQueries({ queryKey: [verbs.list] });
    } catch (error) {
      onFailure();
      notify({ title: verbs.problem(error as Error) });
    }
  };
  const remove = (item: Item) => {
    setRemoved(item);
    void attempt(
      () => verbs.remove(item),
      () => setRemoved(null),
    );
  };
  const restore = () => {
    if (!removed) return;
    focusDialog();
    setRemoved(null);
    void attempt(
      async () => setRestored((await verbs.create(removed)).id),
      () => setRemoved(removed),
    );
  };
  return { removed, restored, remove, restore };
}
