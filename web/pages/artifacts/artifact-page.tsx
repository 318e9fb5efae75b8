import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { restoreArtifact } from '../../artifacts/trash.ts';
import { useRereading } from '../../artifacts/use-artifacts.ts';
import { PANELS } from '../../features/panels/panels.ts';
import { useText } from '../../i18n/panel-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/page.tsx';

const route = getRouteApi('/artifacts/$artifactId');

/** One list, note or view with the whole page to itself: the same as in a panel. */
export function ArtifactPage() {
  const text = useText();
  const live = useLiveConnection();
  const { artifactId } = route.useParams();
  useRereading('artifact');
  const found = useQuery({
    queryKey: ['artifact', artifactId],
    queryFn: () => live.client.call('getArtifact', { artifactId }),
    staleTime: 0,
    retry: false,
  });
  const kind = PANELS.find(({ type }) => type === found.data?.kind);
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-11 flex-none items-center gap-3 border-b border-line px-4">
        <Link to="/artifacts" className="flex h-full flex-none items-center text-xs text-link underline">
          {text('artifacts.title')}
        </Link>
        <h1 dir="auto" className="min-w-0 truncate text-sm font-semibold">
          {found.data?.name ?? text('artifacts.title')}
        </h1>
      </header>
      {found.isError && (
        <div className="p-4">
          <Failure error={found.error} retry={() => void found.refetch()} />
        </div>
      )}
      {found.data && found.data.deletedAt !== null && (
        <div role="status" className="flex items-center gap-3 border-b border-line bg-surface px-4 py-2">
          <p className="flex-1">{text('artifacts.inTrash')}</p>
          <Button onClick={() => void restoreArtifact(live, artifactId)}>{text('artifacts.restore')}</Button>
        </div>
      )}
      {kind && (
        <div data-touch="" className="@container mx-auto flex min-h-0 w-full max-w-[1280px] flex-1 flex-col">
          <kind.Component key={artifactId} sessionId="" panelId={`page-${artifactId}`} artifactId={artifactId} />
        </div>
      )}
    </main>
  );
}
