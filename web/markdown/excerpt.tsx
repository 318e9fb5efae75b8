import { plainPieces, type Range } from './plain-snippet.ts';

/** Part of a message as plain words, with what a search found in it. */
export function Excerpt({ snippet, matches }: { snippet: string; matches: readonly Range[] }) {
  return plainPieces(snippet, matches).map(({ text, isMatch, start }) =>
    isMatch ? (
      <mark key={start} className="rounded-[2px] bg-accent/25 text-fg">
        {text}
      </mark>
    ) : (
      text
    ),
  );
}
