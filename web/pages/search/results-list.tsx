import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { AppError } from '../../../contract/errors.ts';
import type { SearchHit } from '../../../contract/sessions.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/page-words.ts';
import { sessionTitle, useLanguage } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Excerpt } from '../../markdown/plain-snippet.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Failure } from '../../ui/page.tsx';
import { filtersIn, groupHits, type ResultGroup, withoutFilters } from './query.ts';

const PAGE = 40;

export function Results({ query, onChange }: { query: string; onChange(query: string): void }) {
  const text = useText();
  const found = useSearch(query);
  if (found.isError) return <Refused error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <p className="mt-6 text-fg-3">{text('app.loading')}</p>;
  const hits = found.data.pages.flatMap((page) => page.hits);
  if (hits.length === 0) return <Nothing query={query} onChange={onChange} />;
  const groups = groupHits(hits);
  return (
    <div className="mt-5" aria-busy={found.isPlaceholderData}>
      <p role="status" className="mb-3 text-xs text-fg-3">
        {text(found.hasNextPage ? 'search.countMore' : 'search.count', { hits: hits.length, sessions: groups.length })}
      </p>
      {groups.map((group) => (
        <Group key={group.sessionId} group={group} />
      ))}
      {found.hasNextPage && (
        <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {text('search.more')}
        </Button>
      )}
    </div>
  );
}

function useSearch(query: string) {
  const { client } = useLiveConnection();
  return useInfiniteQuery({
    queryKey: ['search', query],
    queryFn: ({ pageParam }) => client.call('search', { query: { q: query, limit: PAGE, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: (before) => before,
    retry: false,
  });
}

/** What cannot be searched for is said calmly; everything else can be tried again. */
function Refused({ error, retry }: { error: Error; retry(): void }) {
  const isOurs = error instanceof AppError && error.code === 'search_invalid';
  return (
    <div className="mt-6">
      {isOurs ? (
        <p role="alert" className="text-fg-2">
          {error.message}
        </p>
      ) : (
        <Failure error={error} retry={retry} />
      )}
    </div>
  );
}

function Nothing({ query, onChange }: { query: string; onChange(query: string): void }) {
  const text = useText();
  const isFiltered = filtersIn(query).length > 0 && withoutFilters(query) !== '';
  const widen = isFiltered && (
    <Button onClick={() => onChange(withoutFilters(query))}>{text('search.withoutFilters')}</Button>
  );
  return (
    <div role="status">
      <EmptyState title={text('search.nothing')} action={widen}>
        {text('search.nothingHint')}
      </EmptyState>
    </div>
  );
}

const Group = memo(function Group({ group }: { group: ResultGroup }) {
  useLanguage();
  return (
    <section className="mb-5" aria-label={sessionTitle(group.title)}>
      <h2 dir="auto" className="mb-1 truncate font-semibold">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: group.sessionId }}
          className="touch:inline-flex touch:min-h-11 touch:min-w-11 touch:items-center hover:underline"
        >
          {sessionTitle(group.title)}
        </Link>
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {group.hits.map((hit) => (
          <Hit key={hit.messageId} hit={hit} />
        ))}
      </ul>
    </section>
  );
});

function Hit({ hit }: { hit: SearchHit }) {
  const now = useNow();
  const speaker = useSpeaker(hit);
  return (
    <li>
      <Link
        data-hit=""
        to="/sessions/$sessionId"
        params={{ sessionId: hit.sessionId }}
        search={{ message: hit.messageId }}
        className="block px-3 py-2 hover:bg-hover focus-visible:bg-hover"
      >
        <span className="flex gap-2 text-xs text-fg-3">
          <span dir="auto" className="min-w-0 flex-1 truncate font-medium text-fg-2">
            {speaker}
          </span>
          <time dateTime={hit.createdAt}>{relativeTime(hit.createdAt, now)}</time>
        </span>
        <span dir="auto" className="block break-words text-md">
          <Excerpt snippet={hit.snippet} matches={hit.matches} />
        </span>
      </Link>
    </li>
  );
}

function useSpeaker({ speaker: { kind, agent, to, webhook = '' } }: SearchHit): string {
  const text = useText();
  const asked = useAgentName(to);
  const name = useAgentName(agent) || text('conversation.assistant');
  if (kind === 'person') return text('conversation.you');
  if (kind === 'webhook') return text('conversation.webhook', { name: webhook });
  if (kind === 'result') return text('search.result', { name });
  if (kind !== 'task') return name;
  return to === null ? text('search.task', { name }) : text('search.taskFor', { name, asked });
}
