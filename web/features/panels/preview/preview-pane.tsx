import { RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useText } from '../../../i18n/panel-words.ts';
import { PreviewFrame } from '../../../markdown/preview-frame.tsx';
import type { PreviewSource } from '../../../markdown/previews.ts';
import { revealHidden } from '../../../markdown/safe-url.ts';
import { tellPanel } from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { previewOf } from '../../../state/previews.ts';
import { IconButton } from '../../../ui/button.tsx';
import { ToggleButton } from '../../../ui/toggle-button.tsx';

/** What code looks like, and the code. */
export function PreviewPane({ sessionId, panelId, artifactId }: PanelProps) {
  const text = useText();
  const source = artifactId === null ? null : previewOf(artifactId);
  const title = source ? text(`preview.title.${source.kind}`) : '';
  useEffect(() => {
    if (title) tellPanel(sessionId, panelId, { title, item: null, view: null });
  }, [sessionId, panelId, title]);
  if (!source) return <p className="p-4 text-fg-2">{text('preview.gone')}</p>;
  return <Preview source={source} title={title} />;
}

function Preview({ source, title }: { source: PreviewSource; title: string }) {
  const text = useText();
  const [shown, show] = useState<'preview' | 'source'>('preview');
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const again = () => {
    setProblem(null);
    setRound(round + 1);
  };
  return (
    <>
      <header className="flex min-h-10 flex-none items-center gap-2 border-b border-line px-2">
        <ToggleButton isOn={shown === 'preview'} onPress={() => show('preview')}>
          {text('preview.shown')}
        </ToggleButton>
        <ToggleButton isOn={shown === 'source'} onPress={() => show('source')}>
          {text('preview.source')}
        </ToggleButton>
        <span className="flex-1" />
        <IconButton label={text('preview.again')} onClick={again}>
          <RotateCw size={14} />
        </IconButton>
      </header>
      {problem !== null && (
        <p role="alert" className="border-b border-line px-3 py-2 text-danger [overflow-wrap:anywhere]">
          {text('diagram.failed', { reason: revealHidden(problem) })}
        </p>
      )}
      {shown === 'source' || problem !== null ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0} dir="ltr" className="m-0 min-h-0 flex-1 overflow-auto p-3 font-mono text-xs">
          {revealHidden(source.text)}
        </pre>
      ) : (
        <PreviewFrame key={round} source={source} title={title} onFailure={setProblem} />
      )}
      <p className="flex-none border-t border-line px-3 py-1 text-2xs text-fg-3">{text('preview.hint')}</p>
    </>
  );
}
