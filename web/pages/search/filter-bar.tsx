import { ChevronDown, X } from 'lucide-react';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { type Filter, type FilterName, filtersIn, withFilter, withoutFilter } from './query.ts';

interface Props {
  query: string;
  onChange(query: string): void;
}

/** Filters for the mouse and for those who do not know the language: each writes its word into the box. */
export function FilterBar({ query, onChange }: Props) {
  const text = useText();
  const filters = filtersIn(query);
  return (
    <div className="mt-2 flex flex-wrap items-center gap-1.5">
      <PeopleMenu name="agent" query={query} onChange={onChange} />
      <PeopleMenu name="from" query={query} onChange={onChange} />
      <DateField name="after" query={query} onChange={onChange} />
      <DateField name="before" query={query} onChange={onChange} />
      {filters.length > 0 && (
        <ul className="flex flex-wrap gap-1.5" aria-label={text('search.active')}>
          {filters.map((filter) => (
            <Chip key={filter.start} filter={filter} onRemove={() => onChange(withoutFilter(query, filter))} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Chip({ filter, onRemove }: { filter: Filter; onRemove(): void }) {
  const text = useText();
  const words = `${filter.name}:${filter.value}`;
  return (
    <li>
      <button
        type="button"
        onClick={onRemove}
        aria-label={text('search.remove', { filter: words })}
        className="inline-flex h-7 items-center gap-1 rounded-md border border-accent/50 bg-raised px-2 font-mono text-xs hover:bg-hover"
      >
        {words}
        <X size={12} aria-hidden="true" />
      </button>
    </li>
  );
}

function PeopleMenu({ name, query, onChange }: Props & { name: 'agent' | 'from' }) {
  const text = useText();
  const agents = useAgents();
  const choose = (value: string) => onChange(withFilter(query, name, value));
  return (
    <Menu
      align="start"
      trigger={
        <Button look="outline">
          {text(`search.filter.${name}`)}
          <ChevronDown size={13} aria-hidden="true" />
        </Button>
      }
    >
      <div className="max-h-72 overflow-y-auto">
        {name === 'from' && <MenuItem onSelect={() => choose('user')}>{text('conversation.you')}</MenuItem>}
        {agents.map((agent) => (
          <MenuItem
            key={agent.agentId}
            icon={<AgentTile agentId={agent.agentId} agent={agent} size={16} />}
            onSelect={() => choose(agent.agentId)}
          >
            {agent.displayName}
          </MenuItem>
        ))}
      </div>
    </Menu>
  );
}

function DateField({ name, query, onChange }: Props & { name: Extract<FilterName, 'after' | 'before'> }) {
  const text = useText();
  const current = filtersIn(query).find((filter) => filter.name === name);
  const isDate = current !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(current.value);
  const change = (value: string) => {
    if (value !== '') onChange(withFilter(query, name, value));
    else if (current) onChange(withoutFilter(query, current));
  };
  return (
    <label className="inline-flex h-7 items-center gap-1.5 touch:h-11 rounded-md border border-line bg-surface px-2 text-fg">
      {text(`search.filter.${name}`)}
      <input
        type="date"
        value={isDate ? current.value : ''}
        onChange={(event) => change(event.target.value)}
        className="bg-transparent text-xs text-fg-2"
      />
    </label>
  );
}
