import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { KnowledgePassage, KnowledgeSource } from '../../../contract/knowledge.ts';
import { usePlaceWords } from '../../features/knowledge/place-words.ts';
import { SourceFacts } from '../../features/knowledge/source-row.tsx';
import { useSource } from '../../features/knowledge/use-knowledge.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { saveFile } from '../../ui/own-file.ts';
import { Loaded, Page } from '../../ui/page.tsx';

const route = getRouteApi('/knowledge/$sourceId');
const PAGE = 50;
/** How many passages are shown before the one that was asked for. */
const BEFORE = 3;

/** The text that was found in a source, at the passage that a link leads to. */
export function SourcePage() {
  const text = useText();
  const { sourceId } = route.useParams();
  const source = useSource(sourceId);
  const hash = useLocation({ select: (location) => location.hash });
  const chosen = Number(/^p(\d{1,9})$/.exec(hash)?.[1] ?? 0);
  return (
    <Page title={source.data?.name ?? text('nav.knowledge')} actions={source.data && <Original source={source.data} />}>
      <p className="mb-2">
        <Link to="/knowledge" activeOptions={{ exact: true }} className="touch-link text-xs text-link underline">
          {text('knowledge.all')}
        </Link>
      </p>
      <Loaded query={source}>
        {(data) => (
          <>
            <SourceFacts source={data} />
            <Passages key={`${sourceId} ${chosen} ${data.updatedAt}`} source={data} chosen={chosen} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Original({ source: { fileId, noteId, name } }: { source: KnowledgeSource }) {
  const text = useText();
  const { client } = useLiveConnection();
  if (fileId !== null)
    return <Button onClick={() => void saveFile(client, fileId, name)}>{text('knowledge.download')}</Button>;
  return (
    <Link to="/artifacts/$artifactId" params={{ artifactId: noteId! }} className={buttonClass('outline')}>
      {text('knowledge.openNote')}
    </Link>
  );
}

function Passages({ source, chosen }: { source: KnowledgeSource; chosen: number }) {
  const text = useText();
  const { client } = useLiveConnection();
  const first = Math.max(1, chosen - BEFORE);
  const read = useInfiniteQuery({
    queryKey: ['knowledge-passages', source.id, first, source.updatedAt],
    initialPageParam: first,
    queryFn: ({ pageParam }) =>
      client.call('listKnowledgePassages', { sourceId: source.id, query: { from: pageParam, limit: PAGE } }),
    getNextPageParam: ({ passages, isComplete }) => (isComplete ? undefined : passages.at(-1)!.number + 1),
  });
  const passages = read.data?.pages.flatMap((page) => page.passages) ?? [];
  return (
    <div className="mt-4 space-y-4">
      {first > 1 && (
        <Link to="/knowledge/$sourceId" params={{ sourceId: source.id }} hash="p1" className={buttonClass('outline')}>
          {text('knowledge.more')}
        </Link>
      )}
      {passages.map((passage) => (
        <Passage key={passage.number} passage={passage} isChosen={passage.number === chosen} />
      ))}
      {read.hasNextPage && <Button onClick={() => void read.fetchNextPage()}>{text('knowledge.more')}</Button>}
    </div>
  );
}

function Passage({ passage: { number, place, text }, isChosen }: { passage: KnowledgePassage; isChosen: boolean }) {
  const words = usePlaceWords(place);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isChosen) return;
    box.current?.scrollIntoView({ block: 'center' });
    box.current?.focus({ preventScroll: true });
  }, [isChosen]);
  return (
    <article
      ref={box}
      id={`p${number}`}
      tabIndex={-1}
      aria-current={isChosen || undefined}
      className={cx('rounded-lg border px-3 py-2.5', isChosen ? 'border-accent bg-surface' : 'border-line')}
    >
      <p className="mb-1 text-xs text-fg-3" dir="auto">
        {words || `#${number}`}
      </p>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {text}
      </p>
    </article>
  );
}
