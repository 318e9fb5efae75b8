import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useText } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';

interface PageProps {
  title: string;
  /** A picture before the title. */
  lead?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
  /** A reading column, or all there is. */
  width?: 'column' | 'full';
}

/** A page that is not a conversation: a title and what is under it, in a column that scrolls. */
export function Page({ title, lead, actions, children, width = 'column' }: PageProps) {
  return (
    <main data-touch="" className="relative min-w-0 flex-1 overflow-y-auto">
      <div className={cx('mx-auto px-4 pt-5 pb-12 sm:px-6', width === 'column' ? 'max-w-[860px]' : 'max-w-[1280px]')}>
        <header className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
          {lead}
          <h1 className="min-w-40 flex-1 basis-60 text-lg font-semibold wrap-anywhere">{title}</h1>
          {actions && <div className="flex flex-wrap items-center gap-x-3 gap-y-2">{actions}</div>}
        </header>
        {children}
      </div>
    </main>
  );
}

interface SectionProps {
  title: string;
  id?: string;
  /** One line on what it is for. */
  hint?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, id, hint, actions, children }: SectionProps) {
  const heading = useId();
  return (
    <section id={id} aria-labelledby={heading} className="scroll-mt-12 pb-7 lg:scroll-mt-4">
      <header className="mb-2 flex min-h-7 items-center gap-2">
        <h2 id={heading} className="flex-1 text-sm font-semibold text-fg">
          {title}
        </h2>
        {actions}
      </header>
      {hint && <p className="mb-3 max-w-[62ch] text-fg-2">{hint}</p>}
      {children}
    </section>
  );
}

/** What a question to the server brings: the wait, the answer, or what went wrong and a way on. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children(data: T): ReactNode }) {
  const text = useText();
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <p role="status" className="py-3 text-fg-3">
      {text('app.loading')}
    </p>
  );
}

export function Failure({ error, retry }: { error: Error; retry(): void }) {
  const text = useText();
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2.5"
    >
      <p className="min-w-0 flex-1 text-danger">{error.message || text('error.unknown')}</p>
      <Button onClick={retry}>{text('error.retry')}</Button>
    </div>
  );
}

export function Badge({ children, tone = 'plain' }: { children: ReactNode; tone?: 'plain' | 'danger' }) {
  return (
    <span
      className={cx(
        'inline-flex items-center rounded-sm border px-1.5 text-2xs leading-4.5 whitespace-nowrap',
        tone === 'danger' ? 'border-danger/50 text-danger' : 'border-line text-fg-2',
      )}
    >
      {children}
    </span>
  );
}
