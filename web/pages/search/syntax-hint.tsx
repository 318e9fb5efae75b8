import type { TextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.ts';

const EXAMPLES: readonly (readonly [query: string, meaning: TextKey])[] = [
  ['plan friday', 'search.syntax.words'],
  ['"call the printers"', 'search.syntax.phrase'],
  ['plan*', 'search.syntax.prefix'],
  ['plan -draft', 'search.syntax.without'],
  ['from:user', 'search.syntax.from'],
  ['agent:wisp/concierge', 'search.syntax.agent'],
  ['after:7d', 'search.syntax.after'],
  ['before:2026-01-31', 'search.syntax.before'],
];

/** What can be typed, before anything is. */
export function SyntaxHint({ onTry }: { onTry(query: string): void }) {
  const text = useText();
  return (
    <section aria-label={text('search.syntax')} className="mt-8">
      <h2 className="mb-2 font-semibold">{text('search.syntax')}</h2>
      <dl className="grid grid-cols-[minmax(0,auto)_1fr] items-center gap-x-4 gap-y-1">
        {EXAMPLES.map(([query, meaning]) => (
          <div key={query} className="contents">
            <dt>
              <button
                type="button"
                onClick={() => onTry(query)}
                className="min-h-6 rounded-sm font-mono text-xs text-link hover:underline"
              >
                {query}
              </button>
            </dt>
            <dd className="text-fg-2">{text(meaning)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
