import type { Token, Tokens } from 'marked';
import { memo, useMemo, useRef } from 'react';
import { Block } from './block.tsx';
import { IncrementalLexer } from './bounded-lexer.ts';
import { TextBoundary } from './text-boundary.tsx';
import { Caret, Words } from './words.tsx';

/** What comes after it is shown as it was written: no answer is that long, and drawing it would hold up the page. */
const LONGEST = 200_000;

interface Props {
  text: string;
  /** More is being added to it: a caret stands at its end. */
  isGrowing?: boolean;
}

/** A model's words. Never HTML: tokens become elements one by one, and what looks like a tag is shown as it is. */
export const Markdown = memo(function Markdown({ text, isGrowing = false }: Props) {
  return (
    <TextBoundary text={text}>
      <MarkdownText text={text} isGrowing={isGrowing} />
    </TextBoundary>
  );
});

function MarkdownText({ text, isGrowing }: Required<Props>) {
  const lexer = useRef<IncrementalLexer>(null);
  lexer.current ??= new IncrementalLexer();
  const reader = lexer.current;
  const { tokens, definitions } = useMemo(
    () => ({ tokens: reader.lex(text.slice(0, LONGEST)), definitions: reader.definitions }),
    [reader, text],
  );
  const last = isGrowing ? tokens.findLastIndex(isShown) : -1;
  if (!isGrowing && text.length <= LONGEST && !tokens.some(saysAnything)) return <AsWritten text={text} />;
  return (
    <div className="prose-parley">
      {tokens.map((token, index) => (
        <Block
          // biome-ignore lint/suspicious/noArrayIndexKey: a block keeps its place while the text grows
          key={index}
          token={token}
          closed={index < tokens.length - 1 || text.endsWith('\n')}
          definitions={definitions}
          caret={index === last}
        />
      ))}
      {text.length > LONGEST && <Plain text={text.slice(LONGEST)} />}
      {isGrowing && last === -1 && <Caret />}
    </div>
  );
}

function Plain({ text }: { text: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap">
      <Words text={text} />
    </p>
  );
}

/** Marks around nothing, such as an empty code block, are all there is to see. */
function AsWritten({ text }: { text: string }) {
  return <div className="prose-parley">{text.trim() !== '' && <Plain text={text} />}</div>;
}

function saysAnything(token: Token): boolean {
  if (token.type === 'space' || token.type === 'def') return false;
  if (token.type === 'code') return token.text.trim() !== '';
  const parts = token.type === 'list' ? (token as Tokens.List).items : 'tokens' in token ? token.tokens : undefined;
  return parts && token.type !== 'image' ? parts.some(saysAnything) : token.raw.trim() !== '';
}

function isShown({ type }: Token): boolean {
  return type !== 'space' && type !== 'def' && type !== 'hr';
}
