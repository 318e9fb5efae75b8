import { useEffect, useState } from 'react';
import { useText } from '../i18n/panel-words.ts';
import { type FrameNews, SandboxFrame } from './sandbox-frame.tsx';
import { useIsDark } from './use-is-dark.ts';

interface Drawn {
  readonly height: number;
  readonly svg: string;
}

const MOST_SOURCE = 50_000;
const MOST_KEPT = 30;
const MOST_HEIGHT = 4000;
const PATIENCE_MS = 20_000;

/** What was drawn, so that a diagram that comes into sight again is there at once and as high as it was. */
const drawings = new Map<string, Drawn>();

interface Props {
  source: string;
  /** Beyond it the diagram scrolls. */
  mostHeight?: number;
  /** It could not be drawn; the reason is for people. */
  onFailure(reason: string): void;
}

/** A Mermaid diagram, drawn in a frame of its own. */
export function Diagram({ source, mostHeight = MOST_HEIGHT, onFailure }: Props) {
  const text = useText();
  const isDark = useIsDark();
  const key = `${isDark} ${source}`;
  // What a frame drew stays in that frame; only the next one shows what was kept.
  const [kept] = useState(() => new Map(drawings));
  const known = kept.get(key);
  const [height, setHeight] = useState(known?.height);
  const isTooLong = source.length > MOST_SOURCE;
  useEffect(() => {
    if (isTooLong) onFailure(text('diagram.tooLong'));
  }, [isTooLong, onFailure, text]);
  useEffect(() => {
    if (height !== undefined) return;
    const timer = setTimeout(() => onFailure(text('diagram.late')), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [height, onFailure, text]);
  const onNews = (news: FrameNews) => {
    if (news.kind === 'failed') return onFailure(news.message);
    setHeight(Math.ceil(news.height));
    if (news.svg) keep(key, news);
  };
  if (isTooLong) return null;
  const page = known ? { page: 'preview' as const, content: { html: pageOf(known.svg, isDark) } } : null;
  return (
    <div className="overflow-auto" style={{ maxHeight: mostHeight }}>
      <SandboxFrame
        key={key}
        title={text('diagram.title')}
        {...(page ?? { page: 'diagram', content: { source, isDark } })}
        onNews={onNews}
        height={Math.min(height ?? 120, MOST_HEIGHT)}
      />
    </div>
  );
}

function keep(key: string, { height, svg }: Drawn): void {
  drawings.delete(key);
  drawings.set(key, { height: Math.ceil(height), svg });
  if (drawings.size > MOST_KEPT) drawings.delete(drawings.keys().next().value!);
}

function pageOf(svg: string, isDark: boolean): string {
  const style = `:root{color-scheme:${isDark ? 'dark' : 'light'}}body{margin:0}svg{display:block;max-width:100%;height:auto;margin:0 auto}`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${svg}`;
}
