import type { ReactNode } from 'react';

export function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="mb-4">
      <h2 className="mx-2 mb-1 flex items-center gap-1.5 text-2xs font-medium text-fg-3">
        {title}
        {count !== undefined && <span className="rounded-full bg-raised px-1.5 text-fg-2">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

/** A name and what it is. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-2 px-2 py-0.5 text-xs">
      <dt className="flex-none text-fg-3">{name}</dt>
      <dd className="min-w-0 flex-1 truncate text-right text-fg-2">{children}</dd>
    </div>
  );
}
