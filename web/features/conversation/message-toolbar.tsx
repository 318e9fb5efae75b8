import {
  ChevronLeft,
  ChevronRight,
  Copy,
  Ellipsis,
  Eye,
  FileText,
  GitFork,
  Pencil,
  Quote,
  RotateCcw,
  Trash2,
  Volume2,
} from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { type Messages, siblingsOf } from '../../../client/message-tree.ts';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Menu, MenuInfo, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { notify } from '../../ui/toast.tsx';
import { useIsTouch } from '../../ui/use-media.ts';
import { type MessageVerbs, useMessageFacts, useMessageVerbs } from './message-verbs.ts';

interface Props {
  message: Message;
  sessionId: string;
  align?: 'start' | 'end';
  /** Absent where the words cannot be edited. */
  onEdit?: (() => void) | undefined;
}

/** What can be done with a message. It floats below the message, so that it takes no room of its own. */
export function MessageToolbar({ message, sessionId, align = 'start', onEdit }: Props) {
  const isTouch = useIsTouch();
  const verbs = useMessageVerbs(message, sessionId, onEdit);
  const menu = <More message={message} verbs={verbs} align={align} hasAll={isTouch} />;
  if (isTouch)
    return (
      <div
        className={cx(
          'flex-none',
          align === 'start' && 'absolute -top-3 -right-3 in-[.sub-agent]:-top-0.5 in-[.sub-agent]:right-0',
        )}
      >
        {menu}
      </div>
    );
  return (
    <div
      className={cx(
        'pointer-events-none absolute top-full -mt-0.5 flex rounded-md border border-line bg-raised opacity-0 shadow-sm',
        'group-focus-within/message:pointer-events-auto group-focus-within/message:opacity-100',
        'group-hover/message:pointer-events-auto group-hover/message:opacity-100',
        'has-aria-expanded:pointer-events-auto has-aria-expanded:opacity-100',
        align === 'end' ? 'right-0' : '-left-1',
      )}
    >
      <QuickButtons verbs={verbs} />
      {menu}
    </div>
  );
}

function QuickButtons({ verbs }: { verbs: MessageVerbs }) {
  const text = useText();
  return (
    <>
      <IconButton label={text('message.copy')} onClick={verbs.copy}>
        <Copy size={14} />
      </IconButton>
      {verbs.edit && (
        <IconButton data-edit="" label={text('message.edit')} onClick={verbs.edit}>
          <Pencil size={14} />
        </IconButton>
      )}
      {verbs.again && (
        <IconButton label={text('message.again')} onClick={verbs.again}>
          <RotateCcw size={14} />
        </IconButton>
      )}
    </>
  );
}

interface MoreProps {
  message: Message;
  verbs: MessageVerbs;
  align: 'start' | 'end';
  /** Whether the menu also offers what the toolbar has as buttons. */
  hasAll: boolean;
}

function More({ message, verbs, align, hasAll }: MoreProps) {
  const text = useText();
  const trigger = (
    <IconButton label={text('message.more')} className="touch:text-fg-3">
      <Ellipsis size={14} />
    </IconButton>
  );
  return (
    <Menu trigger={trigger} align={hasAll ? 'end' : align}>
      <MessageMenu message={message} verbs={verbs} hasAll={hasAll} />
    </Menu>
  );
}

interface MessageMenuProps {
  message: Message;
  verbs: MessageVerbs;
  hasAll: boolean;
}

function MessageMenu({ message, verbs, hasAll }: MessageMenuProps) {
  const text = useText();
  const { details } = useMessageFacts(message);
  return (
    <>
      {hasAll && <QuickItems verbs={verbs} />}
      <MenuItem icon={<Quote size={14} />} onSelect={verbs.quote}>
        {text('message.quote')}
      </MenuItem>
      <MenuItem icon={<GitFork size={14} />} onSelect={verbs.fork}>
        {text('message.fork')}
      </MenuItem>
      <MenuItem icon={<FileText size={14} />} onSelect={verbs.copyMarkdown}>
        {text('message.copyMarkdown')}
      </MenuItem>
      <MenuItem icon={<Volume2 size={14} />} onSelect={verbs.speak}>
        {text('message.readAloud')}
      </MenuItem>
      {verbs.seen && (
        <MenuItem icon={<Eye size={14} />} onSelect={verbs.seen}>
          {text('rail.seen')}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 size={14} />} onSelect={verbs.remove}>
        {text('message.delete')}
      </MenuItem>
      {details !== '' && <MenuSeparator />}
      {details !== '' && <MenuInfo>{details}</MenuInfo>}
    </>
  );
}

function QuickItems({ verbs }: { verbs: MessageVerbs }) {
  const text = useText();
  return (
    <>
      <MenuItem icon={<Copy size={14} />} onSelect={verbs.copy}>
        {text('message.copy')}
      </MenuItem>
      {verbs.edit && (
        <MenuItem icon={<Pencil size={14} />} onSelect={verbs.edit}>
          {text('message.edit')}
        </MenuItem>
      )}
      {verbs.again && (
        <MenuItem icon={<RotateCcw size={14} />} onSelect={verbs.again}>
          {text('message.again')}
        </MenuItem>
      )}
    </>
  );
}

/** The versions of a message, when there are several. Always visible, so that other versions are not overlooked. */
export function MessageSiblings({ message, sessionId }: { message: Message; sessionId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const messages = useLive((state) => state.states.get(sessionId)?.messages);
  const place = useVersionChosen(message.id);
  const ids = messages ? siblingsIn(messages, message) : [];
  if (ids.length < 2) return null;
  const index = ids.indexOf(message.id);
  const show = (next: number) => {
    const messageId = ids[next];
    if (messageId === undefined) return;
    chosen = messageId;
    client.call('chooseHead', { sessionId, body: { messageId } }).catch((error: Error) => {
      chosen = null;
      notify({ title: error.message });
    });
  };
  return (
    <span ref={place} className="flex items-center text-2xs text-fg-3">
      <IconButton label={text('message.previousSibling')} disabled={index === 0} onClick={() => show(index - 1)}>
        <ChevronLeft size={14} />
      </IconButton>
      {text('message.sibling', { index: index + 1, count: ids.length })}
      <IconButton
        label={text('message.nextSibling')}
        disabled={index === ids.length - 1}
        onClick={() => show(index + 1)}
      >
        <ChevronRight size={14} />
      </IconButton>
    </span>
  );
}

/** The version that the person went to: its buttons take the focus from those of the version before. */
let chosen: string | null = null;

function useVersionChosen(id: string): RefObject<HTMLSpanElement | null> {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (chosen !== id) return;
    chosen = null;
    place.current?.querySelector<HTMLElement>('button:enabled')?.focus({ preventScroll: true });
  }, [id]);
  return place;
}

const families = new WeakMap<Messages, ReadonlyMap<string | null, readonly Message[]>>();

/** A message and its alternatives, found without looking at every other message each time. */
function siblingsIn(messages: Messages, message: Message): string[] {
  const family = familiesOf(messages).get(message.parentId) ?? [];
  return siblingsOf(new Map(family.map((one) => [one.id, one])), message);
}

function familiesOf(messages: Messages): ReadonlyMap<string | null, readonly Message[]> {
  const known = families.get(messages);
  if (known) return known;
  const made = Map.groupBy(messages.values(), ({ parentId }) => parentId);
  families.set(messages, made);
  return made;
}
