import type { Token, Tokens } from 'marked';
import { memo, useMemo, useRef } from 'react';
import { CodeBlock } from './code-block.tsx';
import { IncrementalLexer } from './incremental-lexer.ts';
import { Inline } from './inline.tsx';

/** A model's words. Never HTML: tokens become elements one by one, and what looks like a tag is shown as it is. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const lexer = useRef<IncrementalLexer>(null);
  lexer.current ??= new IncrementalLexer();
  const reader = lexer.current;
  const { tokens, definitions } = useMemo(
    () => ({ tokens: reader.lex(text), definitions: reader.definitions }),
    [reader, text],
  );
  return (
    <div className="prose-parley">
      {tokens.map((token, index) => (
        <Block
          // biome-ignore lint/suspicious/noArrayIndexKey: a block keeps its place while the text grows
          key={index}
          token={token}
          closed={index < tokens.length - 1 || text.endsWith('\n')}
          definitions={definitions}
        />
      ))}
    </div>
  );
});

interface BlockProps {
  token: Token;
  /** Nothing can be added to it any more. */
  closed: boolean;
  /** What its references mean. */
  definitions: string;
}

const Block = memo(
  function Block(props: BlockProps) {
    return <BlockContent {...props} />;
  },
  (before, after) =>
    before.token.raw === after.token.raw &&
    before.token.type === after.token.type &&
    before.closed === after.closed &&
    before.definitions === after.definitions,
);

function BlockContent({ token, closed, definitions }: BlockProps) {
  switch (token.type) {
    case 'heading':
      return <Heading token={token as Tokens.Heading} />;
    case 'paragraph':
      return (
        <p>
          <Inline tokens={(token as Tokens.Paragraph).tokens} />
        </p>
      );
    case 'code':
      return <CodeBlock token={token as Tokens.Code} closed={closed} />;
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={(token as Tokens.Blockquote).tokens} definitions={definitions} />
        </blockquote>
      );
    case 'list':
      return <List token={token as Tokens.List} definitions={definitions} />;
    case 'table':
      return <Table token={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'text':
      return <Inline tokens={(token as Tokens.Text).tokens ?? [token]} />;
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>;
  }
}

function Blocks({ tokens, definitions }: { tokens: readonly Token[]; definitions: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a block's number is its identity
  return tokens.map((token, index) => <Block key={index} token={token} closed definitions={definitions} />);
}

/** A message's headings stand below the page's own. */
function Heading({ token }: { token: Tokens.Heading }) {
  const Tag = `h${Math.min(6, token.depth + 2)}` as 'h3' | 'h4' | 'h5' | 'h6';
  return (
    <Tag data-depth={token.depth}>
      <Inline tokens={token.tokens} />
    </Tag>
  );
}

function List({ token, definitions }: { token: Tokens.List; definitions: string }) {
  const items = token.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an item's number is its identity
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label={item.text} />}
      <Blocks tokens={item.tokens} definitions={definitions} />
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token }: { token: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label={token.header.map((cell) => cell.text).join(', ')}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <th key={index} style={{ textAlign: cell.align ?? 'start' }}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows do not move
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                <td key={column} style={{ textAlign: cell.align ?? 'start' }}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
