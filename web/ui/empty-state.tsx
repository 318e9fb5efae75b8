import type { ReactNode } from 'react';

/** Nothing here yet: what this place is for, and one thing to do next. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-2 p-6 text-center">
      <h2 className="text-md font-medium">{title}</h2>
      {children && <div className="text-fg-2">{children}</div>}
      {action}
    </div>
  );
}
