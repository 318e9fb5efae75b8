import { Check, Copy } from 'lucide-react';
import type { Tokens } from 'marked';
import { useEffect, useState } from 'react';
import { useText } from '../i18n/text.ts';
import { IconButton } from '../ui/button.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { Caret } from './caret.tsx';
import { type HighlightNode, highlight } from './highlight.ts';
import { revealHidden } from './safe-url.ts';

/** Code as it was written. Colours come once nothing can be added any more, and never hold anything up. */
export function CodeBlock({ token, closed, caret }: { token: Tokens.Code; closed: boolean; caret: boolean }) {
  const text = useText();
  const { copied, copy } = useCopy();
  const code = revealHidden(token.text);
  const nodes = useHighlight(code, token.lang ?? '', closed);
  return (
    <figure className="code-block">
      <figcaption>
        <span>{revealHidden((token.lang ?? '').slice(0, 40))}</span>
        <IconButton label={text(copied ? 'copy.done' : 'copy.code')} onClick={() => copy(token.text)}>
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </IconButton>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} dir="ltr">
        <code>
          {nodes ? <Nodes nodes={nodes} /> : code}
          {caret && <Caret />}
        </code>
      </pre>
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
