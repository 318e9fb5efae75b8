import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useText } from '../i18n/text.ts';
import { useLive } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageLoadError } from './lazy-page.tsx';

/** Instead of a page that could not be loaded or drawn; everything around it stays. */
export function PageProblem({ error, reset }: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  const text = useText();
  const router = useRouter();
  const connected = useLive((state) => state.connection === 'open');
  const retry = () => {
    // Browsers remember a failed import, and a newer server has other script names: only a reload helps against both.
    if (connected && error instanceof PageLoadError) return location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <main className="flex min-w-0 flex-1">
      <div role="alert" className="m-auto">
        <EmptyState
          level={1}
          title={text('page.failed')}
          action={
            <Button look="primary" onClick={retry}>
              {text('error.retry')}
            </Button>
          }
        >
          {text('page.failedHint')}
        </EmptyState>
      </div>
    </main>
  );
}

export function NotFoundPage() {
  const text = useText();
  return (
    <main className="flex min-w-0 flex-1">
      <div className="m-auto">
        <EmptyState
          level={1}
          title={text('page.notFound')}
          action={
            <Link to="/" className="inline-flex items-center text-link underline touch:min-h-11">
              {text('page.toDashboard')}
            </Link>
          }
        >
          {text('page.notFoundHint')}
        </EmptyState>
      </div>
    </main>
  );
}
