import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Memory, MemoryList } from '../../../contract/memory.ts';
import { useText } from '../../i18n/agent-words.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FIELD_LINE } from '../../ui/field.tsx';
import { MemoryDialog } from './memory-dialog.tsx';
import { MemoryRow } from './memory-row.tsx';

/** What the dialog is open for: a memory, or a new one. */
type Editing = { readonly of: Memory | null };

/** What an agent remembers across sessions, as it is now: what the agent adds appears at once. */
export function MemoryTab({ agentId }: { agentId: string }) {
  const text = useText();
  const [words, setWords] = useState('');
  const [editing, setEditing] = useState<Editing | null>(null);
  const wanted = useSettled(words.trim());
  const memories = useMemories(agentId, wanted);
  return (
    <section aria-label={text('agents.tab.memory')}>
      <p className="mb-3 max-w-[62ch] text-fg-2">{text('agents.memory.intro')}</p>
      <div className="mb-3 flex flex-wrap gap-2">
        <input
          type="search"
          aria-label={text('agents.memory.search')}
          placeholder={text('agents.memory.search')}
          value={words}
          onChange={({ target }) => setWords(target.value)}
          className={`${FIELD_LINE} min-w-0 flex-1 basis-48`}
        />
        <Button look="primary" onClick={() => setEditing({ of: null })}>
          <Plus size={14} />
          {text('agents.memory.add')}
        </Button>
      </div>
      <List memories={memories} isSearch={wanted !== ''} onEdit={(of) => setEditing({ of })} />
      {editing && <MemoryDialog agentId={agentId} memory={editing.of} onClose={() => setEditing(null)} />}
    </section>
  );
}

const PAGE = 50;

type Memories = UseInfiniteQueryResult<InfiniteData<MemoryList>>;

function useMemories(agentId: string, q: string): Memories {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.memoryVersion);
  return useInfiniteQuery({
    queryKey: ['memories', agentId, q, version],
    queryFn: ({ pageParam }) => {
      const query = { agent: agentId, limit: PAGE, ...(q && { q }), ...(pageParam && { before: pageParam }) };
      return client.call('listMemories', { query });
    },
    initialPageParam: '',
    getNextPageParam: ({ memories, isComplete }) => (isComplete ? undefined : memories.at(-1)?.id),
    // The same list, while it is read anew.
    placeholderData: (before) => before,
    staleTime: 0,
  });
}

interface ListProps {
  memories: Memories;
  isSearch: boolean;
  onEdit(memory: Memory): void;
}

function List({ memories: { data, error, hasNextPage, fetchNextPage }, isSearch, onEdit }: ListProps) {
  const text = useText();
  if (error) return <p role="alert">{error.message}</p>;
  if (!data) return <p className="text-fg-3">{text('app.loading')}</p>;
  const all = data.pages.flatMap(({ memories }) => memories);
  if (all.length === 0 && isSearch) return <p className="text-fg-2">{text('agents.memory.noneFound')}</p>;
  if (all.length === 0)
    return <EmptyState title={text('agents.memory.none')}>{text('agents.memory.noneHint')}</EmptyState>;
  return (
    <>
      <ul
        aria-label={text('agents.tab.memory')}
        className="divide-y divide-line rounded-lg border border-line bg-surface"
      >
        {all.map((memory) => (
          <MemoryRow key={memory.id} memory={memory} onEdit={() => onEdit(memory)} />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="mt-3" onClick={() => void fetchNextPage()}>
          {text('agents.memory.more')}
        </Button>
      )}
    </>
  );
}

const PAUSE_MS = 200;

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
