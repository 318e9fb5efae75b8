import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

interface Props<T extends string> {
  label: string;
  tabs: readonly { readonly id: T; readonly title: string }[];
  chosen: T;
  onChoose(id: T): void;
  children: ReactNode;
}

/** Tabs over one panel; the arrow keys choose. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: Props<T>) {
  const id = useId();
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length]!;
    event.preventDefault();
    onChoose(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={press}
        className="mb-4 flex flex-wrap gap-x-1 border-b border-line max-sm:gap-x-0"
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
            className={cx(
              '-mb-px h-8 border-b-2 px-2.5 touch:h-11 max-sm:px-1.5',
              tab.id === chosen ? 'border-accent text-fg' : 'border-transparent text-fg-2 hover:text-fg',
            )}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
