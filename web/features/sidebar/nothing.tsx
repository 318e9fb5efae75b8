import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { newSession } from '../../state/new-session.ts';
import { closeOverlays } from '../../state/panes.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export function NoSessions({ deps }: { deps: SessionDeps }) {
  const text = useText();
  return (
    <EmptyState
      title={text('sidebar.none')}
      action={
        <Button look="primary" className="mt-1" onClick={() => void newSession(deps.live, deps.navigate)}>
          <Plus size={14} />
          {text('sidebar.begin')}
        </Button>
      }
    >
      {text('sidebar.noneHint')}
    </EmptyState>
  );
}

/** Filtering looks at titles and names; what was said is found elsewhere. */
export function NothingFound({ query, isLooking }: { query: string; isLooking: boolean }) {
  const text = useText();
  if (isLooking) return <p className="px-4 py-3 text-fg-3">{text('sidebar.looking')}</p>;
  return (
    <EmptyState
      title={text('sidebar.notFound', { query })}
      action={
        <Link
          to="/search"
          search={{ q: query }}
          onClick={closeOverlays}
          className="mt-1 inline-flex h-7 items-center rounded-md border border-line bg-surface px-2.5 hover:bg-hover"
        >
          {text('sidebar.searchMessages')}
        </Link>
      }
    >
      {text('sidebar.notFoundHint')}
    </EmptyState>
  );
}
