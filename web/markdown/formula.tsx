import { useEffect, useRef, useState } from 'react';
import { cx } from '../ui/cx.ts';
import type { FormulaToken } from './math-syntax.ts';
import { Words } from './words.tsx';

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
