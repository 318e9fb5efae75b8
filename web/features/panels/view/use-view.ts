import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { PatchItem } from '../../../../contract/lists.ts';
import type { PatchView, View, ViewRow, ViewRows } from '../../../../contract/views.ts';
import { undo } from '../../../artifacts/list-verbs.ts';
import { useRereading } from '../../../artifacts/use-artifacts.ts';
import { text } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { notify } from '../../../ui/toast.tsx';

const MOST_ROWS = 10_000;

export function useView(viewId: string) {
  const { client } = useLiveConnection();
  useRereading('view');
  const view = useQuery({
    queryKey: ['view', viewId],
    queryFn: () => client.call('getView', { viewId }),
    staleTime: 0,
  });
  const rows = useQuery({
    queryKey: ['view', viewId, 'rows'],
    queryFn: () => client.call('getViewRows', { viewId, query: { limit: MOST_ROWS, timeZone: zone() } }),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  return { view, rows };
}

function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export interface ViewVerbs {
  /** Of the view itself. */
  change(patch: PatchView): void;
  /** Of an item that it shows. */
  patch(row: ViewRow, patch: Omit<PatchItem, 'base'>): void;
  move(row: ViewRow, toListId: string): void;
}

export function useViewVerbs(view: View): ViewVerbs {
  const live = useLiveConnection();
  const queries = useQueryClient();
  const { id } = view;
  const attempt = useCallback(
    (work: Promise<unknown>) =>
      void work
        .catch((error: Error) => notify({ title: error.message }))
        .then(() => queries.invalidateQueries({ queryKey: ['view', id] })),
    [queries, id],
  );
  return {
    change: (patch) => attempt(live.client.call('patchView', { viewId: id, body: patch })),
    patch: (row, patch) => {
      if (row.kind !== 'item') return;
      const { listId, id: itemId, title } = row.item;
      queries.setQueryData<ViewRows>(['view', id, 'rows'], (known) => known && foreseen(known, itemId, patch));
      attempt(
        live.client.call('patchItem', { listId, itemId, body: patch }).then(({ version }) => {
          const run = () => void undo(live, listId, [version]);
          notify({ title: text('list.changed', { title }), undo: { label: text('action.undo'), run } });
        }),
      );
    },
    move: (row, toListId) => {
      if (row.kind !== 'item') return;
      const { listId, id: itemId } = row.item;
      attempt(live.client.call('moveItems', { listId, body: { items: [itemId], toListId } }));
    },
  };
}

/** Only what can be told without knowing where the row goes. */
function foreseen(rows: ViewRows, itemId: string, { done }: Omit<PatchItem, 'base'>): ViewRows {
  if (done === undefined) return rows;
  const doneAt = done ? new Date().toISOString() : null;
  const changed = (row: ViewRow): ViewRow =>
    row.kind === 'item' && row.item.id === itemId ? { ...row, item: { ...row.item, doneAt } } : row;
  return { ...rows, rows: rows.rows.map(changed) };
}
