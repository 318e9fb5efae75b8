import type { Token, Tokens } from 'marked';
import { useEffect, useRef, useState } from 'react';
import { cx } from '../ui/cx.ts';
import type { FormulaToken } from './math-syntax.ts';
import { ImageChip, SafeLink } from './safe-link.tsx';
import { Caret, Words } from './words.tsx';

/** Words inside a block. HTML stays text, pictures from elsewhere become links to them. */
export function Inline({ tokens, caret = false }: { tokens: readonly Token[]; caret?: boolean }) {
  return (
    <>
      {tokens.map((token, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece's number is its identity
        <Piece key={index} token={token} />
      ))}
      {caret && <Caret />}
    </>
  );
}

function Piece({ token }: { token: Token }) {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inline tokens={(token as Tokens.Strong).tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={(token as Tokens.Em).tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={(token as Tokens.Del).tokens} />
        </del>
      );
    case 'codespan':
      return (
        <code dir="ltr">
          <Words text={decodeEntities((token as Tokens.Codespan).text)} kind="exact" />
        </code>
      );
    case 'formula':
      return <Formula token={token as unknown as FormulaToken} />;
    case 'checkbox':
      return null;
    case 'br':
      return <br />;
    case 'link':
      return (
        <SafeLink href={(token as Tokens.Link).href} words={(token as Tokens.Link).text}>
          <Inline tokens={(token as Tokens.Link).tokens} />
        </SafeLink>
      );
    case 'image':
      return <ImageChip href={(token as Tokens.Image).href} alt={(token as Tokens.Image).text} />;
    case 'escape':
      return <Words text={(token as Tokens.Escape).text} />;
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? <Inline tokens={tokens} /> : <Words text={decodeEntities(text)} />;
    }
    default:
      return <Words text={token.raw} />;
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  '#39': "'",
};

/** The few names that writers use, and numbers; anything else stays as it was written. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (Object.hasOwn(NAMED, name.toLowerCase())) return NAMED[name.toLowerCase()]!;
    if (!name.startsWith('#')) return whole;
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

/** A formula. Its source stands in the page as well: it is what is copied and found, and what is read until it is drawn. */
export function Formula({ token: { raw, tex, isDisplay } }: { token: FormulaToken }) {
  const place = useRef<HTMLSpanElement>(null);
  const isDrawn = useDrawing(place, tex, isDisplay);
  return (
    <span className={cx('formula', isDisplay && 'formula-display')} dir="ltr">
      <code className={cx(isDrawn && 'formula-source')} aria-hidden={isDrawn || undefined}>
        <Words text={raw.trim()} kind="exact" />
      </code>
      <span ref={place} className="formula-drawing" />
    </span>
  );
}

/** Whether there is something to be seen: the source stays where TeX has mistakes or is too much. */
function useDrawing(place: { readonly current: HTMLElement | null }, tex: string, isDisplay: boolean): boolean {
  const [drawn, setDrawn] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    const show = (math: Element | null) => {
      if (!wanted) return;
      place.current?.replaceChildren(...(math ? [math] : []));
      setDrawn(math ? tex : null);
    };
    // Without the program that draws formulas, their source can be read.
    import('./draw-formula.ts').then(
      ({ drawFormula }) => show(drawFormula(tex, isDisplay)),
      () => show(null),
    );
    return () => {
      wanted = false;
    };
  }, [place, tex, isDisplay]);
  return drawn === tex;
}
