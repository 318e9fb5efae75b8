import type { ArtifactChange } from '../../../../contract/artifacts.ts';
import { AuthorTile, useAuthorName } from '../../../artifacts/author.tsx';
import { useText } from '../../../i18n/panel-words.ts';

/** What an agent did last in the list, seen and heard. */
export function News({ news }: { news: readonly ArtifactChange[] }) {
  const text = useText();
  const nameOf = useAuthorName();
  const last = news.at(-1);
  return (
    <p role="status" className="flex flex-none items-center gap-1.5 px-3 text-xs text-fg-2">
      {last && (
        <>
          <AuthorTile by={last.by} at={last.at} />
          <span className="truncate py-1">
            {nameOf(last.by)} {text(newsOf(last), { title: last.title })}
          </span>
        </>
      )}
    </p>
  );
}

function newsOf({ type, after }: ArtifactChange) {
  if (type !== 'item_changed' || !after || !('doneAt' in after)) return `history.${type}` as const;
  return after.doneAt === null ? 'history.item_open' : 'history.item_done';
}
