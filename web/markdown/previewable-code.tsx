import { AppWindow, Code, Workflow } from 'lucide-react';
import type { Tokens } from 'marked';
import { useCallback, useContext, useState } from 'react';
import { useText } from '../i18n/panel-words.ts';
import { IconButton } from '../ui/button.tsx';
import { Diagram } from '../ui/diagram.tsx';
import { CodeFigure, type CodeProps } from './code-figure.tsx';
import { OpenPreview, previewKindOf } from './previews.ts';
import { revealHidden } from './safe-url.ts';

/** Beyond it, a diagram in a message scrolls. */
const MOST_HEIGHT = 560;

/** Code that can be shown as what it stands for. A diagram is drawn where it stands. */
export function PreviewableCode(props: CodeProps) {
  const text = useText();
  const { token } = props;
  const open = useContext(OpenPreview);
  const { isSource, toggle, problem, fail } = useDrawing(token);
  const kind = previewKindOf(token.lang ?? '', token.text);
  if (!kind || !open) return <CodeFigure {...props} />;
  const isDiagram = kind === 'mermaid';
  const isDrawn = isDiagram && !isSource && problem === null;
  const buttons = (
    <>
      {isDiagram && problem === null && (
        <IconButton label={text(isDrawn ? 'diagram.showSource' : 'diagram.show')} onClick={toggle}>
          {isDrawn ? <Code size={14} /> : <Workflow size={14} />}
        </IconButton>
      )}
      <IconButton label={text('preview.open')} onClick={() => open({ kind, text: token.text })}>
        <AppWindow size={14} />
      </IconButton>
    </>
  );
  const above = isDiagram && problem !== null && (
    <p role="status" className="m-0 border-b border-line px-3 py-1.5 text-xs text-danger">
      {text('diagram.failed', { reason: revealHidden(problem) })}
    </p>
  );
  return (
    <CodeFigure {...props} buttons={buttons} above={above}>
      {isDrawn && <Diagram source={token.text} mostHeight={MOST_HEIGHT} onFailure={fail} />}
    </CodeFigure>
  );
}

function useDrawing({ text: source }: Tokens.Code) {
  const [isSource, setSource] = useState(false);
  const [failure, setFailure] = useState<{ source: string; reason: string } | null>(null);
  const fail = useCallback((reason: string) => setFailure({ source, reason }), [source]);
  const problem = failure?.source === source ? failure.reason : null;
  return { isSource, toggle: () => setSource(!isSource), problem, fail };
}
