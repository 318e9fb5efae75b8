import { Check, Code, Copy, PanelRightOpen, Workflow } from 'lucide-react';
import type { Token, Tokens } from 'marked';
import { memo, useCallback, useContext, useEffect, useState } from 'react';
import { useText } from '../i18n/text.ts';
import { IconButton } from '../ui/button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { type HighlightNode, highlight } from './highlight.ts';
import { Formula, Inline } from './inline.tsx';
import type { FormulaToken } from './math-syntax.ts';
import { OpenPreview, type PreviewKind, previewKindOf } from './previews.ts';
import { revealHidden } from './safe-url.ts';
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

/** Code as it was written. Colours come once nothing can be added any more, and never hold anything up. */
function CodeBlock({ token, closed, caret }: { token: Tokens.Code; closed: boolean; caret: boolean }) {
  const text = useText();
  const { copied, copy } = useCopy();
  const code = revealHidden(token.text);
  const nodes = useHighlight(code, token.lang ?? '', closed);
  const preview = usePreview(token, closed);
  return (
    <figure className="code-block">
      <figcaption>
        <span>{revealHidden((token.lang ?? '').slice(0, 40))}</span>
        {preview && <PreviewButtons preview={preview} />}
        <IconButton label={text(copied ? 'copy.done' : 'copy.code')} onClick={() => copy(token.text)}>
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </IconButton>
      </figcaption>
      {preview?.problem && (
        <p role="status" className="m-0 border-b border-line px-3 py-1.5 text-xs text-danger">
          {text('diagram.failed', { reason: revealHidden(preview.problem) })}
        </p>
      )}
      {preview?.isDrawn ? (
        <Diagram source={token.text} mostHeight={MOST_DIAGRAM} onFailure={preview.fail} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0} dir="ltr">
          <code>
            {nodes ? <Nodes nodes={nodes} /> : code}
            {caret && <Caret />}
          </code>
        </pre>
      )}
    </figure>
  );
}

const Diagram = lazyPart(async () => (await import('../ui/diagram.tsx')).Diagram);
const MOST_DIAGRAM = 560;

interface Preview {
  readonly kind: PreviewKind;
  readonly isDrawn: boolean;
  readonly problem: string | null;
  fail(reason: string): void;
  /** Between the diagram and its source. */
  toggle(): void;
  open(): void;
}

/** How the code can be shown besides as text; null when it cannot, or not yet. A diagram is drawn where it stands. */
function usePreview({ text: source, lang = '' }: Tokens.Code, closed: boolean): Preview | null {
  const open = useContext(OpenPreview);
  const [isSource, setSource] = useState(false);
  const [problem, setProblem] = useState<{ source: string; reason: string } | null>(null);
  const fail = useCallback((reason: string) => setProblem({ source, reason }), [source]);
  const kind = closed && open ? previewKindOf(lang, source) : null;
  if (!kind || !open) return null;
  const failed = problem?.source === source ? problem.reason : null;
  return {
    kind,
    isDrawn: kind === 'mermaid' && !isSource && failed === null,
    problem: failed,
    fail,
    toggle: () => setSource(!isSource),
    open: () => open({ kind, text: source }),
  };
}

function PreviewButtons({ preview: { kind, isDrawn, problem, toggle, open } }: { preview: Preview }) {
  const text = useText();
  const canToggle = kind === 'mermaid' && problem === null;
  return (
    <>
      {canToggle && (
        <IconButton label={text(isDrawn ? 'diagram.showSource' : 'diagram.show')} onClick={toggle}>
          {isDrawn ? <Code size={14} /> : <Workflow size={14} />}
        </IconButton>
      )}
      <IconButton label={text('preview.open')} onClick={open}>
        <PanelRightOpen size={14} />
      </IconButton>
    </>
  );
}

function useHighlight(code: string, language: string, closed: boolean): readonly HighlightNode[] | null {
  const [found, setFound] = useState<{ code: string; nodes: readonly HighlightNode[] | null } | null>(null);
  useEffect(() => {
    if (!closed || language === '') return;
    let wanted = true;
    // Without colours it can be read as well.
    highlight(code, language).then(
      (nodes) => wanted && setFound({ code, nodes }),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [code, language, closed]);
  return found?.code === code ? found.nodes : null;
}

function Nodes({ nodes }: { nodes: readonly HighlightNode[] }) {
  return nodes.map((node, index) =>
    typeof node === 'string' ? (
      node
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the nodes of a finished block do not move
      <span key={index} className={node.scope ? `hl-${node.scope.split('.')[0]}` : undefined}>
        <Nodes nodes={node.children} />
      </span>
    ),
  );
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
