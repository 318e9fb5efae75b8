import { Check, Copy } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { Caret } from '../../markdown/words.tsx';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { useCopy } from '../../ui/use-copy.ts';

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

interface TerminalText {
  readonly output: string;
  /** Null while the command runs, and where it did not say how it ended. */
  readonly ending: { readonly words: string; readonly isGood: boolean } | null;
}

/** Colours and cursor movements, which mean nothing outside a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const ESCAPE_SEQUENCES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])/g;
const ENDING = /(?:^|\n)\[((?:exit code|killed by|stopped after) [^\]\n]{1,40})\]\s*$/;

/** Takes the last line of a background command apart: `[exit code 0]`, `[killed by SIGKILL]`, `[stopped after 60 s]`. */
function readOutput(text: string): TerminalText {
  const plain = text.replaceAll(ESCAPE_SEQUENCES, '').replaceAll(/\r+\n/g, '\n');
  const tail = ENDING.exec(plain.slice(-80));
  if (!tail) return { output: plain, ending: null };
  const output = plain.slice(0, plain.length - tail[0].length).trimEnd();
  return { output, ending: { words: tail[1]!, isGood: tail[1] === 'exit code 0' } };
}
