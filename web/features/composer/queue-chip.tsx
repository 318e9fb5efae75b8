import { ArrowDown, ArrowUp, Check, Ellipsis, GripVertical, Pencil, Trash2, X, Zap } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { QueueEntry } from '../../../client/session-state.ts';
import { withoutContextLine, withSameContext } from '../../../contract/context-line.ts';
import { speakerOf } from '../../../contract/speakers.ts';
import { useText } from '../../i18n/text.ts';
import { useAgent } from '../../live/use-agents.ts';
import { spell } from '../../state/shortcuts.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { caretToEnd } from '../../ui/keyboard-focus.ts';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { useFocusBack } from '../../ui/use-focus-back.ts';
import type { QueueVerbs } from './use-queue.ts';

interface Props {
  entry: QueueEntry;
  index: number;
  count: number;
  verbs: QueueVerbs;
}

export function QueueChip(props: Props) {
  const { entry, index, count, verbs } = props;
  const { turn, message } = entry;
  const text = useText();
  const [isEditing, setEditing] = useState(false);
  const chip = useFocusBack<HTMLLIElement>(isEditing);
  const handle = useRef<HTMLButtonElement>(null);
  const isOver = useDragging(chip, handle, turn.id, count > 1, verbs.drop);
  const agent = useAgent(turn.agentId);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    verbs.step(turn.id, event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    <li
      ref={chip}
      data-turn={turn.id}
      onKeyDown={onKeyDown}
      className={cx(
        'flex min-h-8 items-center gap-1 rounded-md border bg-surface pr-1',
        isOver ? 'border-accent' : 'border-line',
      )}
    >
      <button
        ref={handle}
        type="button"
        data-handle=""
        aria-label={text('composer.moveHandle', { place: index + 1, count, text: shortened(wordsOf(message)) })}
        title={text('composer.moveHint')}
        className="grid h-7 w-6 flex-none cursor-grab place-items-center rounded-md text-fg-3 hover:bg-hover"
      >
        <GripVertical size={14} />
      </button>
      <AgentTile agentId={turn.agentId} agent={agent} size={18} />
      {isEditing ? (
        <QueueEditor
          text={withoutContextLine(message.text)}
          onSave={(content) => verbs.edit(turn.id, withSameContext(message.text, content))}
          onDone={() => setEditing(false)}
        />
      ) : (
        <>
          <span className="min-w-0 flex-1 truncate px-1" title={wordsOf(message)}>
            {wordsOf(message)}
          </span>
          <ChipButtons {...props} onEdit={() => setEditing(true)} />
        </>
      )}
    </li>
  );
}

/** Files may speak for themselves. */
function wordsOf({ text, parts }: QueueEntry['message']): string {
  return withoutContextLine(text) || parts.flatMap((part) => (part.type === 'file' ? [part.name] : [])).join(', ');
}

function shortened(words: string): string {
  return words.length > 60 ? `${words.slice(0, 60)}…` : words;
}

/** What was said already, or what an agent asked for, is not the person's to change. */
function isOwn({ turn, message }: QueueEntry): boolean {
  return (
    message.status === 'queued' &&
    speakerOf(message).kind === 'person' &&
    turn.parentTurnId === null &&
    turn.retryOf === null
  );
}

function ChipButtons({ entry, index, count, verbs, onEdit }: Props & { onEdit(): void }) {
  const text = useText();
  const { id } = entry.turn;
  return (
    <>
      <span className="hidden @sm:contents">
        {isOwn(entry) && (
          <IconButton data-edit="" label={text('composer.edit')} onClick={onEdit}>
            <Pencil size={13} />
          </IconButton>
        )}
        <IconButton label={text('composer.sendNow')} onClick={() => verbs.sendNow(id)}>
          <Zap size={13} />
        </IconButton>
      </span>
      <IconButton label={text('composer.remove')} onClick={() => verbs.remove(entry)}>
        <Trash2 size={13} />
      </IconButton>
      <Menu
        trigger={
          <IconButton label={text('message.more')}>
            <Ellipsis size={14} />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil size={14} />} disabled={!isOwn(entry)} onSelect={onEdit}>
          {text('composer.edit')}
        </MenuItem>
        <MenuItem icon={<Zap size={14} />} onSelect={() => verbs.sendNow(id)}>
          {text('composer.sendNow')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={<ArrowUp size={14} />}
          keys={spell('Alt ↑')}
          disabled={index === 0}
          onSelect={() => verbs.step(id, -1)}
        >
          {text('composer.moveUp')}
        </MenuItem>
        <MenuItem
          icon={<ArrowDown size={14} />}
          keys={spell('Alt ↓')}
          disabled={index === count - 1}
          onSelect={() => verbs.step(id, 1)}
        >
          {text('composer.moveDown')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={() => verbs.remove(entry)}>
          {text('composer.remove')}
        </MenuItem>
      </Menu>
    </>
  );
}

type Drop = (turnId: string, target: string) => void;

/** A chip can be dragged by its handle onto another. What that needs is brought when there is something to drag. */
function useDragging(
  chip: RefObject<HTMLElement | null>,
  handle: RefObject<HTMLElement | null>,
  turnId: string,
  isOn: boolean,
  onDrop: Drop,
): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useRef(onDrop);
  useEffect(() => {
    drop.current = onDrop;
  });
  useEffect(() => {
    if (!isOn) return;
    let release: (() => void) | null = null;
    let isGone = false;
    void import('@atlaskit/pragmatic-drag-and-drop/element/adapter').then(({ draggable, dropTargetForElements }) => {
      if (isGone || !chip.current || !handle.current) return;
      const held = draggable({
        element: chip.current,
        dragHandle: handle.current,
        getInitialData: () => ({ waiting: turnId }),
      });
      const target = dropTargetForElements({
        element: chip.current,
        canDrop: ({ source }) => typeof source.data.waiting === 'string',
        onDragEnter: ({ source }) => setOver(source.data.waiting !== turnId),
        onDragLeave: () => setOver(false),
        onDrop: ({ source }) => {
          setOver(false);
          drop.current(String(source.data.waiting), turnId);
        },
      });
      release = () => {
        held();
        target();
      };
    });
    return () => {
      isGone = true;
      release?.();
    };
  }, [chip, handle, turnId, isOn]);
  return isOver;
}

interface QueueEditorProps {
  text: string;
  onSave(text: string): void;
  onDone(): void;
}

/** Changes the words of a message that waits, where it waits. Enter keeps them, Escape does not. */
function QueueEditor({ text: before, onSave, onDone }: QueueEditorProps) {
  const text = useText();
  const [words, setWords] = useState(before);
  const save = () => {
    if (words.trim() === '') return;
    if (words !== before) onSave(words);
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') onDone();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    save();
  };
  return (
    <>
      <textarea
        ref={caretToEnd}
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        aria-label={text('composer.edit')}
        rows={Math.min(6, words.split('\n').length)}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
        className="my-1 min-w-0 flex-1 resize-none rounded-sm border border-line-strong bg-raised px-1.5 py-0.5"
      />
      <IconButton label={text('composer.save')} disabled={words.trim() === ''} onClick={save}>
        <Check size={14} />
      </IconButton>
      <IconButton label={text('action.cancel')} onClick={onDone}>
        <X size={14} />
      </IconButton>
    </>
  );
}
