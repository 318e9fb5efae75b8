import { Check, Copy, FilePlus } from 'lucide-react';
import type { Tokens } from 'marked';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { useText } from '../i18n/text.ts';
import { IconButton } from '../ui/button.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { type HighlightNode, highlight } from './highlight.ts';
import { SaveCode } from './previews.ts';
import { revealHidden } from './safe-url.ts';
import { Caret } from './words.tsx';

export interface CodeProps {
  token: Tokens.Code;
  /** Nothing can be added to it any more. */
  closed: boolean;
  /** The text grows at the end of it. */
  caret: boolean;
}

interface FigureProps extends CodeProps {
  buttons?: ReactNode;
  above?: ReactNode;
  /** Instead of the code. */
  children?: ReactNode;
}

/** Code as it was written. Colours come once nothing can be added any more, and never hold anything up. */
export function CodeFigure({ token, closed, caret, buttons, above, children }: FigureProps) {
  const text = useText();
  const { copied, copy } = useCopy();
  const save = useContext(SaveCode);
  const code = revealHidden(token.text);
  const nodes = useHighlight(code, token.lang ?? '', closed);
  return (
    <figure className="code-block">
      <figcaption>
        <span>{revealHidden((token.lang ?? '').slice(0, 40))}</span>
        {buttons}
        {save && closed && token.text !== '' && (
          <IconButton
            label={text('copy.toFile')}
            onClick={() => save({ language: token.lang ?? '', text: token.text })}
          >
            <FilePlus size={14} />
          </IconButton>
        )}
        <IconButton label={text(copied ? 'copy.done' : 'copy.code')} onClick={() => copy(token.text)}>
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </IconButton>
      </figcaption>
      {above}
      {children || (
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
