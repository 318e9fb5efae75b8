import { useText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { isBuilder } from '../../state/choose-agent.ts';

/** Words are the person's own; what the search itself understands is the same in every language. */
const WORDS = ['words', 'phrase', 'prefix', 'without'] as const;
const BEFORE_AGENT = [['from:user', 'from']] as const;
const AFTER_AGENT = [
  ['after:7d', 'after'],
  ['before:2026-01-31', 'before'],
] as const;

/** What can be typed, before anything is. */
export function SyntaxHint({ onTry }: { onTry(query: string): void }) {
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
