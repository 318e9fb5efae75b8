import { MessageSquarePlus, Trash2 } from 'lucide-react';
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from 'react';
import { useText } from '../../../i18n/panel-words.ts';
import { revealHidden } from '../../../markdown/safe-url.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { caretToEnd } from '../../../ui/keyboard-focus.ts';
import { dropComment, type LineComment, putComment } from './comments.ts';
import { linesOf, type PatchLine } from './read-patch.ts';

const MOST_LINES = 2000;

interface Props {
  sessionId: string;
  path: string;
  section: string;
  comments: readonly LineComment[];
}

/** The changed lines of a file. One of them has the keyboard: arrows go from line to line, Enter comments. */
export function FileLines({ sessionId, path, section, comments }: Props) {
  const text = useText();
  const lines = useMemo(() => linesOf(section), [section]);
  const [current, setCurrent] = useState(0);
  const [writing, setWriting] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const begin = useCallback((id: string) => setWriting(id), []);
  const shown = lines.slice(0, MOST_LINES);
  const focusLine = (index: number) => {
    setCurrent(index);
    list.current?.querySelector<HTMLElement>(`[data-line="${index}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !(event.target as HTMLElement).dataset.line) return;
    event.preventDefault();
    focusLine(Math.max(0, Math.min(shown.length - 1, current + step)));
  };
  return (
    <ol
      ref={list}
      aria-label={text('changes.lines', { path })}
      onKeyDown={onKeyDown}
      className="overflow-x-auto bg-bg py-1 font-mono text-xs"
    >
      {shown.map((line, index) => {
        const id = idOf(path, line);
        const comment = comments.find((one) => one.id === id);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a patch do not move
          <li key={index}>
            <Line line={line} index={index} isCurrent={index === current} commentId={id} onComment={begin} />
            {(comment || writing === id) && id !== null && (
              <Comment
                comment={comment ?? { id, path, ...placeOf(line), code: line.text, words: '' }}
                sessionId={sessionId}
                isWriting={writing === id}
                onWrite={() => setWriting(id)}
                onDone={() => {
                  setWriting(null);
                  focusLine(index);
                }}
              />
            )}
          </li>
        );
      })}
      {lines.length > MOST_LINES && <li className="px-3 text-fg-3">{text('diff.longer')}</li>}
    </ol>
  );
}

function placeOf({ before, after }: PatchLine): Pick<LineComment, 'line' | 'side'> {
  return after === null ? { line: before!, side: 'old' } : { line: after, side: 'new' };
}

/** Null: no line of the file. */
function idOf(path: string, line: PatchLine): string | null {
  if (line.before === null && line.after === null) return null;
  const { line: number, side } = placeOf(line);
  return `${side} ${number} ${path}`;
}

const TONES: Readonly<Record<PatchLine['kind'], string>> = {
  added: 'bg-[color-mix(in_srgb,var(--st-completed)_10%,transparent)] text-fg',
  removed: 'bg-danger/10 text-fg',
  hunk: 'text-fg-2',
  note: 'text-fg-2',
  same: 'text-fg-2',
};
const SIGNS: Readonly<Record<PatchLine['kind'], string>> = { added: '+', removed: '−', hunk: '', note: '', same: ' ' };

interface LineProps {
  line: PatchLine;
  index: number;
  isCurrent: boolean;
  commentId: string | null;
  onComment(id: string): void;
}

const Line = memo(function Line({ line, index, isCurrent, commentId, onComment }: LineProps) {
  const text = useText();
  const { kind, before, after } = line;
  const comment = () => commentId !== null && onComment(commentId);
  const label = commentId === null ? undefined : text('changes.commentOn', { line: after ?? before ?? 0 });
  return (
    <button
      type="button"
      data-line={index}
      tabIndex={isCurrent ? 0 : -1}
      title={label}
      onClick={comment}
      className={cx(
        'group/line flex min-h-6! w-max min-w-full items-center gap-2 px-2 text-left whitespace-pre focus-visible:-outline-offset-2',
        TONES[kind],
      )}
    >
      <span aria-hidden="true" className="w-9 flex-none text-right text-fg-2 select-none">
        {after ?? before}
      </span>
      <span className="w-2 flex-none">{SIGNS[kind]}</span>
      <span>{revealHidden(line.text) || ' '}</span>
      {commentId !== null && (
        <MessageSquarePlus
          size={13}
          aria-hidden="true"
          className="ml-auto flex-none text-fg-3 opacity-0 group-hover/line:opacity-100 group-focus-visible/line:opacity-100"
        />
      )}
    </button>
  );
});

interface CommentProps {
  sessionId: string;
  comment: LineComment;
  isWriting: boolean;
  onWrite(): void;
  onDone(): void;
}

function Comment({ sessionId, comment, isWriting, onWrite, onDone }: CommentProps) {
  const text = useText();
  const [words, setWords] = useState(comment.words);
  const save = () => {
    putComment(sessionId, { ...comment, words });
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onDone();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (!isWriting)
    return (
      <div className="mx-2 my-1 flex max-w-[min(36rem,100cqw)] items-start gap-2 rounded-md border border-line bg-raised px-2 py-1 font-sans">
        <button type="button" onClick={onWrite} className="min-w-0 flex-1 text-left whitespace-pre-wrap text-fg">
          {comment.words}
        </button>
        <IconButton label={text('changes.drop')} onClick={() => dropComment(sessionId, comment.id)}>
          <Trash2 size={13} />
        </IconButton>
      </div>
    );
  return (
    <div className="mx-2 my-1 max-w-[min(36rem,calc(100cqw-16px))] rounded-md border border-line-strong bg-raised p-2 font-sans">
      <textarea
        ref={caretToEnd}
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        rows={2}
        aria-label={text('changes.commentOn', { line: comment.line })}
        value={words}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={onKeyDown}
        className="w-full resize-y bg-transparent text-sm outline-none touch:text-[16px]"
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{text('action.cancel')}</Button>
        <Button look="primary" disabled={words.trim() === '' && comment.words === ''} onClick={save}>
          {text('changes.save')}
        </Button>
      </div>
    </div>
  );
}
