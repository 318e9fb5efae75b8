import { Check, Copy } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { Caret } from '../../markdown/caret.tsx';
import { revealHidden } from '../../markdown/safe-url.ts';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { useCopy } from '../../ui/use-copy.ts';
import { readOutput } from './terminal-text.ts';

/** What a command printed: line by line as in a terminal, with how it ended beside it. */
export function TerminalOutput({ text: printed, isGrowing = false }: { text: string; isGrowing?: boolean }) {
  const text = useText();
  const { copied, copy } = useCopy();
  const { output, ending } = readOutput(printed);
  return (
    <figure className="code-block my-1.5">
      <figcaption>
        <span>{ending && <Ending words={ending.words} isGood={ending.isGood} />}</span>
        <IconButton label={text(copied ? 'copy.done' : 'copy.output')} onClick={() => copy(output)}>
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </IconButton>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} dir="ltr" className="max-h-[60vh] overflow-auto font-mono text-xs print:max-h-none">
        <span data-words="">{revealHidden(output)}</span>
        {output === '' && !isGrowing && <span className="text-fg-3">{text('tool.noOutput')}</span>}
        {isGrowing && <Caret />}
      </pre>
    </figure>
  );
}

function Ending({ words, isGood }: { words: string; isGood: boolean }) {
  return (
    <span
      data-ending=""
      className={cx(
        'rounded-sm border px-1.5 font-mono text-2xs leading-4.5',
        isGood ? 'border-line text-fg-2' : 'border-danger/50 text-danger',
      )}
    >
      {words}
    </span>
  );
}
