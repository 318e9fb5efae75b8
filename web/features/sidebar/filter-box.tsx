import { ListFilter, X } from 'lucide-react';
import { type KeyboardEvent, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { focusList, TREE_ID } from './use-roving.ts';

interface Props {
  query: string;
  onQuery(query: string): void;
  /** How many sessions are shown, told to those who do not see them. */
  found: number;
}

export function FilterBox({ query, onQuery, found }: Props) {
  const text = useText();
  const field = useRef<HTMLInputElement>(null);
  const clear = () => {
    onQuery('');
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      focusList();
    }
    if (event.key !== 'Escape' || query === '') return;
    event.preventDefault();
    event.stopPropagation();
    clear();
  };
  return (
    <search className="relative flex-none border-b border-line px-2 py-2">
      <ListFilter size={14} aria-hidden="true" className="absolute top-4 touch:top-5.5 left-4.5 text-fg-3" />
      <input
        ref={field}
        type="search"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={text('sidebar.filter')}
        aria-controls={found > 0 ? TREE_ID : undefined}
        placeholder={text('sidebar.filter')}
        className="h-8 w-full touch:h-11 rounded-md border border-line bg-bg pr-8 pl-8 placeholder:text-fg-3 [&::-webkit-search-cancel-button]:hidden"
      />
      {query !== '' && (
        <IconButton
          label={text('sidebar.filterClear')}
          className="absolute top-3 right-3 size-6 touch:top-2 touch:right-2"
          onClick={clear}
        >
          <X size={13} />
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {query === '' ? '' : text('sidebar.found', { count: found })}
      </span>
    </search>
  );
}
