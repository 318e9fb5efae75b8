import { useInfiniteQuery } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import type { ArtifactChange } from '../../contract/artifacts.ts';
import { useText } from '../i18n/panel-words.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { moment, useAuthorName } from './author.tsx';
import { shownValue } from './conflict-dialog.tsx';
import { undo } from './list-verbs.ts';

interface Props {
  artifactId: string;
  /** Only what became of one item. */
  itemId?: string;
  title: string;
  nameOf(field: string): string;
  onClose(): void;
}

/** Who changed what and when, newest first; each change can be taken back. */
export function HistoryDialog({ artifactId, itemId, title, nameOf, onClose }: Props) {
  const text = useText();
  const live = useLiveConnection();
  const pages = useInfiniteQuery({
    queryKey: ['artifact-changes', artifactId, itemId],
    queryFn: ({ pageParam }) =>
      live.client.call('listArtifactChanges', {
        artifactId,
        query: { ...(itemId && { itemId }), ...(pageParam !== null && { before: pageParam }) },
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ changes, isComplete }) => (isComplete ? undefined : changes.at(-1)?.version),
    staleTime: 0,
  });
  const changes = pages.data?.pages.flatMap((page) => page.changes) ?? [];
  const takeBack = async (version: number) => {
    if (await undo(live, artifactId, [version])) await pages.refetch();
  };
  return (
    <Dialog open wide title={title} onClose={onClose}>
      {pages.isError && <p className="text-danger">{pages.error.message}</p>}
      {pages.isPending && <p className="text-fg-3">{text('app.loading')}</p>}
      <ol>
        {changes.map((change) => (
          <Change key={change.version} change={change} nameOf={nameOf} onUndo={() => void takeBack(change.version)} />
        ))}
      </ol>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>{text('history.more')}</Button>}
    </Dialog>
  );
}

interface ChangeProps {
  change: ArtifactChange;
  nameOf(field: string): string;
  onUndo(): void;
}

function Change({ change, nameOf, onUndo }: ChangeProps) {
  const text = useText();
  const authorOf = useAuthorName();
  const { type, title, by, at, before, after, undoneBy, version } = change;
  const fields = type === 'item_changed' || type === 'changed' ? Object.keys(after ?? {}) : [];
  return (
    <li className="flex items-start gap-2 border-b border-line py-2 last:border-0">
      <div className="min-w-0 flex-1">
        <p className={undoneBy === null ? undefined : 'line-through'}>
          <b className="font-medium">{authorOf(by)}</b> {text(`history.${type}`, { title })}
        </p>
        {fields.map((field) => (
          <p key={field} className="text-xs text-fg-2 [overflow-wrap:anywhere]">
            {nameOf(field)}: <del className="text-fg-3">{short(before?.[field])}</del> → {short(after?.[field])}
          </p>
        ))}
        <p className="text-xs text-fg-3">{moment(at)}</p>
      </div>
      {undoneBy === null && version > 1 && (
        <IconButton label={text('history.undo', { title })} onClick={onUndo}>
          <Undo2 size={14} />
        </IconButton>
      )}
    </li>
  );
}

function short(value: unknown): string {
  const words = shownValue(value);
  return words === '' ? '–' : words.length > 160 ? `${words.slice(0, 160)}…` : words;
}
