import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MessageContext } from '../../contract/context-line.ts';
import { useText } from '../i18n/panel-words.ts';
import { cx } from './cx.ts';

interface Props {
  context: MessageContext;
  className?: string;
  children?: ReactNode;
}

/** What the person looked at when they wrote a message: what was open and how much of it was selected. */
export function ContextLabel({ context, className, children }: Props) {
  const text = useText();
  const { item, view, panelTitle, selection } = context;
  const title = item?.name || view?.name || panelTitle;
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is no part of a form
    <div
      role="group"
      aria-label={text('panel.context')}
      data-context=""
      className={cx(
        'inline-flex min-h-6 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface pl-2 text-xs text-fg-2',
        !children && 'pr-2',
        className,
      )}
    >
      <Eye size={13} aria-hidden="true" className="flex-none text-fg-3" />
      <span className="min-w-0 truncate">
        <bdi>{selection.length > 0 ? text('panel.contextSelected', { title, count: selection.length }) : title}</bdi>
      </span>
      {children}
    </div>
  );
}
