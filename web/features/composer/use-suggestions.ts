import { useEffect, useMemo, useState } from 'react';
import { useAgents } from '../../live/use-agents.ts';
import { type Suggestion, type Suggestions, suggest } from './suggestions.ts';
import type { Writing } from './use-writing.ts';

export interface Offer {
  readonly list: Suggestions | null;
  readonly active: number;
  /** The one that Enter takes. */
  readonly chosen: Suggestion | null;
  move(step: number): void;
  point(index: number): void;
  close(): void;
}

/** What the list offers and which of it is chosen. Once closed it stays closed until something else is begun. */
export function useSuggestions({ text, caret }: Writing, primary: string | null, isOn: boolean): Offer {
  const agents = useAgents();
  const found = useMemo(
    () => (isOn ? suggest(text, caret, agents, primary) : null),
    [text, caret, agents, primary, isOn],
  );
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const [at, setAt] = useState({ text, index: 0 });
  const begun = found?.start ?? null;
  useEffect(() => {
    setClosedAt((closed) => (closed === begun ? closed : null));
  }, [begun]);
  const list = begun !== null && begun !== closedAt ? found : null;
  const count = list?.items.length ?? 0;
  const active = at.text === text ? Math.min(at.index, count - 1) : 0;
  return {
    list,
    active,
    chosen: list?.items[active] ?? null,
    move: (step) => setAt({ text, index: (active + step + count) % count }),
    point: (index) => setAt({ text, index }),
    close: () => setClosedAt(begun),
  };
}
