// The script of `diagram-frame.html`: draws a diagram that a model has written. It runs in a sandboxed frame without an
// origin and without a network; the app hears from it only through messages, and trusts none of them.
import mermaid from 'mermaid';

interface Asked {
  readonly source: string;
  readonly isDark: boolean;
}

const MOST_MESSAGE = 2000;

addEventListener('message', ({ source, data }: MessageEvent) => {
  if (source === parent)
    void draw(data as Asked).catch((error: unknown) => tell({ kind: 'failed', message: said(error) }));
});
tell({ kind: 'ready' });

async function draw({ source, isDark }: Asked): Promise<void> {
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'neutral',
    suppressErrorRendering: true,
    fontFamily: 'system-ui, sans-serif',
  });
  const { svg } = await mermaid.render('diagram', source);
  const drawn = new DOMParser().parseFromString(svg, 'text/html').body;
  document.body.replaceChildren(...drawn.childNodes);
  const box = document.body.querySelector('svg')?.getBoundingClientRect();
  tell({ kind: 'drawn', width: box?.width ?? 0, height: box?.height ?? 0, svg });
}

function said(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MOST_MESSAGE);
}

/** A frame without an origin does not know that of its parent. Nothing in what it tells is secret. */
function tell(message: object): void {
  parent.postMessage(message, '*');
}
