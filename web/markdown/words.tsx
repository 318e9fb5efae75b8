import { type ReactNode, useContext } from 'react';
import { findUnseenCharacters, type KindOfText } from '../../contract/unseen-characters.ts';
import { useText } from '../i18n/text.ts';
import { IsOffline } from '../ui/status-dot.tsx';

/** More marks than these say nothing new; the rest of the characters is taken out. */
const MOST_MARKS = 500;

/** A longer word is set without kerning and ligatures: with them, the time to break it grows with the square of it. */
const LONGEST_WORD = 1_000;

/** Text in which every character that cannot be seen is shown by its number. */
export function Words({ text, kind = 'prose' }: { text: string; kind?: KindOfText }): ReactNode {
  const words = withMarks(text, kind);
  return hasLongWord(text) ? <span className="long-word">{words}</span> : words;
}

function hasLongWord(text: string): boolean {
  return text.length > LONGEST_WORD && text.split(/\s/).some((word) => word.length > LONGEST_WORD);
}

function withMarks(text: string, kind: KindOfText): ReactNode {
  const unseen = findUnseenCharacters(text, kind);
  if (unseen.length === 0) return text;
  const shown: ReactNode[] = [];
  let end = 0;
  for (const [number, { index, length, label }] of unseen.entries()) {
    shown.push(text.slice(end, index));
    if (number < MOST_MARKS) shown.push(<Unseen key={index} label={label} />);
    end = index + length;
  }
  return [...shown, text.slice(end)];
}

function Unseen({ label }: { label: string }) {
  const text = useText();
  return (
    <span className="unseen" title={text('markdown.unseen', { label })}>
      {label}
    </span>
  );
}

/** Where the next words will stand. It takes up no room, so nothing moves when it goes. Without a connection none come. */
export function Caret() {
  return useContext(IsOffline) ? null : <span aria-hidden="true" className="caret" />;
}
