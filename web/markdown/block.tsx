import type { Token, Tokens } from 'marked';
import { memo, useContext } from 'react';
import { lazyPart } from '../ui/lazy-part.tsx';
import { CodeFigure, type CodeProps } from './code-figure.tsx';
import { Formula, Inline } from './inline.tsx';
import type { FormulaToken } from './math-syntax.ts';
import { OpenPreview } from './previews.ts';
import { Caret, Words } from './words.tsx';

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

const PreviewableCode = lazyPart(async () => (await import('./previewable-code.tsx')).PreviewableCode, {
  loading: CodeFigure,
});

const PREVIEWABLE = /^(?:mermaid|svg|html|xml)(?![\w-])/i;

/** What can be shown as more than text is, where the app offers that, once nothing can be added to it any more. */
function CodeBlock(props: CodeProps) {
  const canPreview = useContext(OpenPreview) !== null && props.closed && PREVIEWABLE.test(props.token.lang ?? '');
  return canPreview ? <PreviewableCode {...props} /> : <CodeFigure {...props} />;
}

function Table({ token, caret }: { token: Tokens.Table; caret: boolean }) {
  const names = token.header.map((cell) => cell.text).join(', ');
  const widths = token.header.map((_, column) => leastWidth(token, column));
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" className="table-scroll" tabIndex={0} aria-label={names}>
      <table dir={directionOf(names)}>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <th key={index} dir="auto" style={{ textAlign: cell.align ?? 'start', minWidth: widths[index] }}>
                <Inline tokens={cell.tokens} caret={caret && token.rows.length === 0 && isLast(token.header, index)} />
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
                <td key={column} dir="auto" style={{ textAlign: cell.align ?? 'start' }}>
                  <Inline tokens={cell.tokens} caret={caret && isLast(token.rows, index) && isLast(row, column)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Room for the words of a column, up to a few on each line: a table scrolls before it stacks them one by one. */
function leastWidth({ header, rows }: Tokens.Table, column: number): string {
  const longest = Math.max(...[header, ...rows].map((row) => row[column]?.text.length ?? 0));
  return `${Math.max(4.5, Math.min(longest, 24) * 0.5)}em`;
}

function isLast(list: readonly unknown[], index: number): boolean {
  return index === list.length - 1;
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\p{Script=Adlam}/u;

/**
 * The direction of a text: that of its first letter, as for `dir="auto"`. A browser leaves out what has a direction of
 * its own, so it cannot tell for a table, whose cells all do.
 */
function directionOf(text: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr';
}
