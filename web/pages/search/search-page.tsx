import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { isBuilder } from '../../state/choose-agent.ts';
import { Page } from '../../ui/page.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Results } from './results-list.tsx';

const route = getRouteApi('/search');
const PAUSE_MS = 250;

/** Finds what anybody ever said, archived and summed-up messages too. The address is the search. */
export function SearchPage() {
  const text = useText();
  const { q = '' } = route.useSearch();
  const { typed, type, choose } = useTyped(q);
  const area = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const press = (event: KeyboardEvent) => moveFocus(event, area.current!, box.current!);
  return (
    <Page title={text('nav.search')}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys go from the box to what was found */}
      <div ref={area} onKeyDown={press}>
        <input
          ref={box}
          // biome-ignore lint/a11y/noAutofocus: the page is opened in order to type
          autoFocus
          type="search"
          aria-label={text('search.box')}
          placeholder={text('search.placeholder')}
          value={typed}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && choose(typed)}
          spellCheck={false}
          className="h-10 w-full rounded-lg border border-line-strong bg-surface px-3 text-md"
        />
        <FilterBar query={typed} onChange={choose} />
        {q === '' ? <SyntaxHint onTry={choose} /> : <Results query={q} onChange={choose} />}
      </div>
    </Page>
  );
}

/** What is in the box: the address follows it after a pause, or at once where something was chosen. */
function useTyped(q: string) {
  const navigate = useNavigate();
  const router = useRouter();
  const [typed, setTyped] = useState(q);
  const asked = useRef(q);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  // What was asked for from here comes back when more may be typed already; anything else comes from elsewhere.
  useEffect(() => {
    if (q === asked.current) return;
    asked.current = q;
    setTyped(q);
  }, [q]);
  useEffect(() => () => clearTimeout(pause.current), []);
  const go = (next: string, replace: boolean) => {
    clearTimeout(pause.current);
    asked.current = next.trim();
    void navigate({ to: '/search', search: next.trim() === '' ? {} : { q: next.trim() }, replace });
  };
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(pause.current);
    // A person who is on the way to another page is not brought back.
    const isStill = () => router.latestLocation.pathname === '/search';
    pause.current = setTimeout(() => isStill() && next.trim() !== asked.current && go(next, true), PAUSE_MS);
  };
  const choose = (next: string) => {
    setTyped(next);
    go(next, false);
  };
  return { typed, type, choose };
}

/** Up and down between the box and the hits, Escape back to the box; Enter is the link's own. */
function moveFocus(event: KeyboardEvent, area: HTMLElement, box: HTMLInputElement): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const hits = [...area.querySelectorAll<HTMLElement>('[data-hit]')];
  const at = hits.indexOf(document.activeElement as HTMLElement);
  if (at < 0 && document.activeElement !== box) return;
  const target = targetOf(event.key, at, hits.length);
  if (target === null) return;
  event.preventDefault();
  (target < 0 ? box : hits[target])?.focus();
}

/** The number of a hit, -1 for the box; null: the key means nothing here. */
function targetOf(key: string, at: number, count: number): number | null {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (at < 0) return null;
  if (key === 'ArrowUp') return at - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return key === 'Escape' ? -1 : null;
}

/** Words are the person's own; what the search itself understands is the same in every language. */
const WORDS = ['words', 'phrase', 'prefix', 'without'] as const;
const BEFORE_AGENT = [['from:user', 'from']] as const;
const AFTER_AGENT = [
  ['after:7d', 'after'],
  ['before:2026-01-31', 'before'],
] as const;

/** What can be typed, before anything is. */
function SyntaxHint({ onTry }: { onTry(query: string): void }) {
  const text = useText();
  const agent = useAgents().find((one) => one.uiVisible && !isBuilder(one));
  const examples = [
    ...WORDS.map((name) => [text(`search.example.${name}`), name] as const),
    ...BEFORE_AGENT,
    ...(agent ? [[`agent:${agent.agentId}`, 'agent'] as const] : []),
    ...AFTER_AGENT,
  ];
  return (
    <section aria-label={text('search.syntax')} className="mt-8">
      <h2 className="mb-2 font-semibold">{text('search.syntax')}</h2>
      <dl className="grid grid-cols-[minmax(0,auto)_1fr] items-center gap-x-4 gap-y-1">
        {examples.map(([query, name]) => (
          <div key={query} className="contents">
            <dt>
              <button
                type="button"
                onClick={() => onTry(query)}
                className="min-h-6 rounded-sm text-left break-all pointer-coarse:min-h-11 font-mono text-xs text-link hover:underline"
              >
                <code>{query}</code>
              </button>
            </dt>
            <dd className="text-fg-2">{text(`search.syntax.${name}`)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
