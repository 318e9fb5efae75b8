import type { ReactNode } from 'react';

interface Props {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** 1 where nothing else is on the page. */
  level?: 1 | 2;
}

/** Nothing here yet: what this place is for, and one thing to do next. */
export function EmptyState({ title, children, action, level = 2 }: Props) {
  const Heading = `h${level}` as const;
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-2 p-6 text-center">
      <Heading className="text-md font-medium">{title}</Heading>
      {children && <div className="text-fg-2">{children}</div>}
      {action}
    </div>
  );
}
