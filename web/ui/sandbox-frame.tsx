import { useEffect, useRef } from 'react';
import { cx } from './cx.ts';

/** What a frame says of itself. It runs what a model has written: nothing of it is trusted. */
export type FrameNews =
  | { readonly kind: 'drawn'; readonly height: number; readonly svg: string }
  | { readonly kind: 'failed'; readonly message: string };

interface Props {
  /** For those who do not see it. */
  title: string;
  page: 'preview' | 'diagram';
  /** Given to the frame once it is there. Another content needs another frame: give it a `key`. */
  content: object;
  onNews?(news: FrameNews): void;
  className?: string;
  height?: number | undefined;
}

const MOST_MESSAGE = 2000;
const MOST_SVG = 2_000_000;

/**
 * Shows what a model has written as HTML, SVG or a diagram. The frame has no origin, so it has no cookies and cannot reach
 * the page; its policy lets it load nothing. Both are set by the server for the frame's own page, and here once more.
 */
export function SandboxFrame({ title, page, content, onNews, className, height }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const given = useRef({ content, onNews });
  useEffect(() => {
    given.current = { content, onNews };
  });
  useEffect(() => {
    let isReady = false;
    const hear = ({ source, data }: MessageEvent<unknown>) => {
      const shown = frame.current?.contentWindow;
      if (!shown || source !== shown) return;
      if (!isReady && kindOf(data) === 'ready') {
        isReady = true;
        // The frame has no origin that could be named.
        shown.postMessage(given.current.content, '*');
      } else {
        const news = readNews(data);
        if (news) given.current.onNews?.(news);
      }
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  return (
    <iframe
      ref={frame}
      title={title}
      src={`/${page}-frame.html`}
      sandbox="allow-scripts"
      allow=""
      referrerPolicy="no-referrer"
      className={cx('block w-full border-0', className)}
      style={height === undefined ? undefined : { height }}
    />
  );
}

function kindOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'kind' in data ? data.kind : undefined;
}

function readNews(data: unknown): FrameNews | null {
  const { height, svg, message } = (data ?? {}) as Record<string, unknown>;
  switch (kindOf(data)) {
    case 'drawn':
      if (typeof height !== 'number' || !Number.isFinite(height) || typeof svg !== 'string') return null;
      return { kind: 'drawn', height: Math.max(0, height), svg: svg.length > MOST_SVG ? '' : svg };
    case 'failed':
      return { kind: 'failed', message: String(message).slice(0, MOST_MESSAGE) };
    default:
      return null;
  }
}
