import type { Token, Tokens } from 'marked';
import { memo } from 'react';
import { Caret } from './caret.tsx';
import { CodeBlock } from './code-block.tsx';
import { Formula } from './formula.tsx';
import { Inline } from './inline.tsx';
import type { FormulaToken } from './math-syntax.ts';
import { Table } from './table.tsx';
import { Words } from './words.tsx';

interface BlockProps {
  token: Token;
  /** Nothing can be added to it any more. */
  closed: boolean;
  /** What its references mean. */
  definitions: string;
  /** The text grows at the end of it. */
  caret: boolean;
}

export const Block = memo(
  function Block(props: BlockProps) {
    return <BlockContent {...props} />;
  },
  (before, after) =>
    before.token.raw === after.token.raw &&
    before.token.type === after.token.type &&
    before.closed === after.closed &&
    before.definitions === after.definitions &&
    before.caret === after.caret,
);

function BlockContent({ token, closed, definitions, caret }: BlockProps) {
  switch (token.type) {
    case 'heading':
      return <Heading token={token as Tokens.Heading} caret={caret} />;
    case 'paragraph':
      return (
        <p dir="auto">
          <Inline tokens={(token as Tokens.Paragraph).tokens} caret={caret} />
        </p>
      );
    case 'code':
      return <CodeBlock token={token as Tokens.Code} closed={closed} caret={caret} />;
    case 'blockquote':
      return (
        <blockquote dir="auto">
          <Blocks tokens={(token as Tokens.Blockquote).tokens} definitions={definitions} caret={caret} />
        </blockquote>
      );
    case 'list':
      return <List token={token as Tokens.List} definitions={definitions} caret={caret} />;
    case 'table':
      return <Table token={token as Tokens.Table} caret={caret} />;
    case 'formula':
      return <Formula token={token as unknown as FormulaToken} />;
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'text':
      return <Inline tokens={(token as Tokens.Text).tokens ?? [token]} caret={caret} />;
    default:
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          <Words text={token.raw} />
          {caret && <Caret />}
        </p>
      );
  }
}

type BlocksProps = Pick<BlockProps, 'definitions' | 'caret'> & { tokens: readonly Token[] };

function Blocks({ tokens, definitions, caret }: BlocksProps) {
  const last = tokens.length - 1;
  return (
    <>
      {tokens.map((token, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block's number is its identity
        <Block key={index} token={token} closed definitions={definitions} caret={caret && index === last} />
      ))}
      {caret && last === -1 && <Caret />}
    </>
  );
}

/** A message's headings stand below the title of the page. Most messages begin with their second level. */
function Heading({ token, caret }: { token: Tokens.Heading; caret: boolean }) {
  const Tag = `h${Math.max(2, token.depth)}` as 'h2' | 'h3' | 'h4' | 'h5' | 'h6';
  return (
    <Tag data-depth={token.depth} dir="auto">
      <Inline tokens={token.tokens} caret={caret} />
    </Tag>
  );
}

function List({ token, definitions, caret }: Omit<BlocksProps, 'tokens'> & { token: Tokens.List }) {
  const last = token.items.length - 1;
  const items = token.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an item's number is its identity
    <li key={index} dir="auto" className={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label={item.text} />}
      <Blocks tokens={item.tokens} definitions={definitions} caret={caret && index === last} />
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}
