import type { Tokens } from 'marked';
import { useEffect, useState } from 'react';
import { useText } from '../../../i18n/panel-words.ts';
import { CodeFigure } from '../../../markdown/code-figure.tsx';
import { Markdown } from '../../../markdown/markdown.tsx';
import { PreviewFrame } from '../../../markdown/preview-frame.tsx';
import { endingOf, type PreviewKind, previewKindOfName } from '../../../markdown/previews.ts';
import { revealHidden } from '../../../markdown/safe-url.ts';

/** How a text file can be shown besides as its text. */
export function shownAs(name: string, text: string): PreviewKind | 'markdown' | null {
  return MARKDOWN.has(endingOf(name)) ? 'markdown' : previewKindOfName(name, text);
}

const MARKDOWN: ReadonlySet<string> = new Set(['md', 'markdown']);

interface TextProps {
  name: string;
  text: string;
  /** As what it stands for, where it stands for something. */
  isDrawn: boolean;
}

export function TextContents({ name, text: contents, isDrawn }: TextProps) {
  const text = useText();
  const [problem, setProblem] = useState<string | null>(null);
  const kind = isDrawn ? shownAs(name, contents) : null;
  if (kind !== null && kind !== 'markdown' && problem === null)
    return (
      <>
        <PreviewFrame source={{ kind, text: contents }} title={name} onFailure={setProblem} />
        <p className="flex-none border-t border-line px-3 py-1 text-2xs text-fg-3">{text('preview.hint')}</p>
      </>
    );
  return (
    <>
      {problem !== null && isDrawn && (
        <p role="alert" className="border-b border-line px-3 py-2 text-danger [overflow-wrap:anywhere]">
          {text('diagram.failed', { reason: revealHidden(problem) })}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto p-3">
        {kind === 'markdown' ? <Markdown text={contents} /> : <Code name={name} text={contents} />}
      </div>
    </>
  );
}

function Code({ name, text }: { name: string; text: string }) {
  const token: Tokens.Code = { type: 'code', raw: '', lang: endingOf(name), text };
  return <CodeFigure token={token} closed caret={false} />;
}

export function Picture({ contents, name }: { contents: Blob; name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(contents);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [contents]);
  return (
    <div className="min-h-0 flex-1 overflow-auto p-3">
      {address && <img src={address} alt={name} className="mx-auto max-w-full" />}
    </div>
  );
}
