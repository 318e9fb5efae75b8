import { Diagram } from '../ui/diagram.tsx';
import { SandboxFrame } from '../ui/sandbox-frame.tsx';
import type { PreviewSource } from './previews.ts';

interface Props {
  source: PreviewSource;
  title: string;
  onFailure(reason: string): void;
}

/** HTML, SVG or a diagram as what it stands for, in a frame that can reach nothing. */
export function PreviewFrame({ source: { kind, text: code }, title, onFailure }: Props) {
  if (kind === 'mermaid')
    return (
      <div className="min-h-0 flex-1 overflow-auto p-2">
        <Diagram source={code} onFailure={onFailure} />
      </div>
    );
  const html = kind === 'svg' ? pageOfSvg(code) : code;
  // What was written without a thought of a dark page is shown on a light one.
  return (
    <SandboxFrame title={title} page="preview" content={{ html }} className="min-h-0 flex-1 bg-[#fff] scheme-light" />
  );
}

const SVG_STYLE =
  'html,body{height:100%;margin:0}body{display:grid;place-items:center}svg{max-width:100%;max-height:100%;height:auto}';

function pageOfSvg(svg: string): string {
  return `<!doctype html><meta charset="utf-8"><style>${SVG_STYLE}</style>${svg.replace(/^\s*<\?xml[^>]*>/, '')}`;
}
