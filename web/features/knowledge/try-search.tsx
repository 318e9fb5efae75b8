import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { KnowledgeHit } from '../../../contract/knowledge.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { serverText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { FIELD_LINE } from '../../ui/field.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { usePlaceWords } from './place-words.ts';

const SHOWN = 8;

/** What an agent finds: in all that there is, or in what one agent can search. */
export function TrySearch({ agentId }: { agentId?: string }) {
  const text = useText();
  const [words, setWords] = useState('');
  const wanted = useDeferredValue(words.trim());
  return (
    <Section title={text('knowledge.try')} hint={text('knowledge.tryHint')}>
      <input
        type="search"
        value={words}
        maxLength={1000}
        onChange={({ target }) => setWords(target.value)}
        aria-label={text('knowledge.try')}
        className={`${FIELD_LINE} touch:h-11 touch:text-[16px]`}
      />
      {wanted !== '' && <Found words={wanted} agentId={agentId} />}
    </Section>
  );
}

function Found({ words, agentId }: { words: string; agentId: string | undefined }) {
  const text = useText();
  const { client } = useLiveConnection();
  const found = useQuery({
    queryKey: ['knowledge-search', words, agentId ?? null],
    queryFn: () => {
      const query = { q: words, limit: SHOWN, ...(agentId !== undefined && { agent: agentId }) };
      return client.call('searchKnowledge', { query });
    },
    placeholderData: (before) => before,
    staleTime: 0,
  });
  return (
    <div className="mt-3">
      <Loaded query={found}>
        {({ hits, problem }) => (
          <>
            {problem && <p className="mb-2 text-xs text-danger">{serverText(problem.message, problem.text)}</p>}
            {hits.length === 0 && <p className="text-fg-2">{text('knowledge.nothingFound')}</p>}
            <ol className="space-y-3">
              {hits.map((hit) => (
                <li key={hit.link}>
                  <Hit hit={hit} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Hit({ hit }: { hit: KnowledgeHit }) {
  const text = useText();
  const place = usePlaceWords(hit.place);
  const by = hit.foundBy.map((way) => text(`knowledge.foundBy.${way}`));
  return (
    <>
      <p className="text-xs">
        <Link
          to="/knowledge/$sourceId"
          params={{ sourceId: hit.sourceId }}
          hash={`p${hit.number}`}
          className="touch-link text-link underline"
          dir="auto"
        >
          {[hit.name, place].filter(Boolean).join(', ')}
        </Link>{' '}
        <span className="text-fg-3">{by.join(', ')}</span>
      </p>
      <p dir="auto" className="mt-0.5 line-clamp-4 break-words whitespace-pre-line text-fg-2">
        <Marked text={hit.text} matches={hit.matches} />
      </p>
    </>
  );
}

/** From a little before the first match on. */
function Marked({ text, matches }: Pick<KnowledgeHit, 'text' | 'matches'>) {
  const from = Math.max(0, (matches[0]?.start ?? 0) - 80);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const pieces = [];
  let at = start;
  for (const match of matches) {
    pieces.push(text.slice(at, match.start), <mark key={match.start}>{text.slice(match.start, match.end)}</mark>);
    at = match.end;
  }
  return (
    <>
      {start > 0 && '… '}
      {pieces}
      {text.slice(at)}
    </>
  );
}
