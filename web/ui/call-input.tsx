import { markUnseenCharacters } from '../../contract/unseen-characters.ts';
import { useText } from '../i18n/text.ts';
import { countLines, firstLines, type ReadArgument, readInput } from './tool-input.ts';

/** Longer texts are cut to the second number of lines until the person asks for the rest. */
const WHOLE_LINES = 24;
const FIRST_LINES = 18;

/** How many lines of the arguments are not shown, or not all of them, before they are expanded. */
export function foldedLines(input: string): number {
  return textsOf(input).reduce((sum, text) => sum + foldedOf(text), 0);
}

function textsOf(input: string): string[] {
  return readInput(input)?.map(withSigns) ?? [markUnseenCharacters(input)];
}

/** How many lines of a text are not shown before it is expanded. */
export function foldedOf(text: string): number {
  if (countLines(text) <= WHOLE_LINES) return 0;
  const rest = text.slice(firstLines(text, FIRST_LINES).length);
  return rest.replace(/^\n/, '').split('\n').length;
}

/** What a call was given: commands and files as the text they are, the rest as a list, the JSON on demand. */
export function CallInput({ input, isExpanded }: { input: string; isExpanded: boolean }) {
  const text = useText();
  const read = readInput(input);
  if (!read) return <Block text={markUnseenCharacters(input)} isExpanded={isExpanded} />;
  const values = read.filter(({ kind }) => kind === 'value');
  const blocks = read.filter(({ kind }) => kind !== 'value');
  return (
    <div className="space-y-2">
      {values.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
          {values.map((value, index) => (
            <Value key={value.name} {...value} isEnd={blocks.length === 0 && index === values.length - 1} />
          ))}
        </dl>
      )}
      {blocks.map((block) => (
        <figure key={block.name} className="m-0">
          {(blocks.length > 1 || block.name !== 'command') && (
            <figcaption className="mb-0.5 font-mono text-xs text-fg-3">{block.name}</figcaption>
          )}
          <Block text={withSigns(block)} kind={block.kind} isExpanded={isExpanded} />
        </figure>
      ))}
      {read.length > 0 && (
        <details className="text-xs text-fg-3">
          <summary className="inline-flex min-h-6 cursor-pointer items-center touch:min-h-11">
            {text('actions.rawInput')}
          </summary>
          <pre className="mt-1 font-mono break-words whitespace-pre-wrap">
            {markUnseenCharacters(JSON.stringify(JSON.parse(input), null, 2))}
          </pre>
        </details>
      )}
    </div>
  );
}

function Value({ name, text, isEnd }: ReadArgument & { isEnd: boolean }) {
  return (
    <>
      <dt className="text-fg-3">
        <code className="font-mono">{name}</code>
      </dt>
      <dd data-input-end={isEnd ? '' : undefined} className="m-0 font-mono break-words text-fg">
        {text}
      </dd>
    </>
  );
}

const COLOURS: Record<ReadArgument['kind'], string> = {
  value: 'text-fg',
  block: 'text-fg',
  removed: 'text-danger',
  added: 'text-[var(--st-completed)]',
};

interface BlockProps {
  text: string;
  kind?: ReadArgument['kind'];
  isExpanded: boolean;
}

function Block({ text, kind = 'block', isExpanded }: BlockProps) {
  const isCut = !isExpanded && foldedOf(text) > 0;
  return (
    <pre
      className={`relative rounded-md bg-surface px-2.5 py-2 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere] ${COLOURS[kind]}`}
    >
      {isCut ? firstLines(text, FIRST_LINES) : text}
      <span data-input-end="" aria-hidden="true" className="absolute bottom-2 left-0 h-4 w-px" />
    </pre>
  );
}

/** The lines that are shown before the rest is asked for. */
export function shownLines(text: string, isExpanded: boolean): string[] {
  return (!isExpanded && foldedOf(text) > 0 ? firstLines(text, FIRST_LINES) : text).split('\n');
}

/** As a diff shows it, not by colour alone. */
function withSigns({ text, kind }: ReadArgument): string {
  if (kind !== 'removed' && kind !== 'added') return text;
  return text.replace(/^/gm, kind === 'removed' ? '- ' : '+ ');
}
