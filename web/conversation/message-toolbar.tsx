import { useNavigate } from '@tanstack/react-router';
import {
  ChevronLeft,
  ChevronRight,
  Copy,
  Ellipsis,
  GitFork,
  Pencil,
  Quote,
  RotateCcw,
  Trash2,
  Volume2,
} from 'lucide-react';
import { useState } from 'react';
import type { Message } from '../../contract/messages.ts';
import { addToDraft } from '../composer/drafts.ts';
import { useText } from '../i18n/text.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { notify } from '../ui/toast.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { EditMessage } from './edit-message.tsx';
import { readAloud } from './read-aloud.ts';
import { siblingsIn } from './siblings.ts';

interface Props {
  message: Message;
  sessionId: string;
  align?: 'start' | 'end';
}

/** What can be done with a message; seen on hover and focus, there for the keyboard always. */
export function MessageToolbar({ message, sessionId, align = 'start' }: Props) {
  const text = useText();
  const { copy } = useCopy();
  const [editing, setEditing] = useState(false);
  const verbs = useVerbs(message, sessionId);
  const isPerson = message.role === 'user' && message.agent === null;
  if (editing) return <EditMessage message={message} onDone={() => setEditing(false)} />;
  return (
    <div
      className={cx(
        'mt-1 flex h-7 items-center opacity-0 group-focus-within/message:opacity-100 group-hover/message:opacity-100',
        align === 'end' && 'self-end',
      )}
    >
      <Siblings message={message} sessionId={sessionId} />
      <IconButton label={text('message.copy')} onClick={() => copy(message.text)}>
        <Copy size={14} />
      </IconButton>
      {isPerson ? (
        <IconButton label={text('message.edit')} onClick={() => setEditing(true)}>
          <Pencil size={14} />
        </IconButton>
      ) : (
        <IconButton label={text('message.again')} onClick={verbs.again}>
          <RotateCcw size={14} />
        </IconButton>
      )}
      <Menu
        trigger={
          <IconButton label={text('message.more')}>
            <Ellipsis size={14} />
          </IconButton>
        }
        align={align}
      >
        <MenuItem icon={<Quote size={14} />} onSelect={() => addToDraft(sessionId, quoteOf(message))}>
          {text('message.quote')}
        </MenuItem>
        <MenuItem icon={<GitFork size={14} />} onSelect={verbs.fork}>
          {text('message.fork')}
        </MenuItem>
        <MenuItem icon={<Copy size={14} />} onSelect={() => copy(asMarkdown(message))}>
          {text('message.copyMarkdown')}
        </MenuItem>
        <MenuItem icon={<Volume2 size={14} />} onSelect={() => readAloud(message.text)}>
          {text('message.readAloud')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={verbs.remove}>
          {text('message.delete')}
        </MenuItem>
      </Menu>
    </div>
  );
}

function useVerbs(message: Message, sessionId: string) {
  const live = useLiveConnection();
  const navigate = useNavigate();
  const attempt = (work: Promise<unknown>) => void work.catch((error: Error) => notify({ title: error.message }));
  return {
    again: () => message.turnId && attempt(live.client.retryTurn(message.turnId)),
    fork: () =>
      attempt(
        live.client.forkSession(sessionId, { messageId: message.id }).then((session) => {
          live.note(session);
          return navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
        }),
      ),
    remove: () => attempt(live.client.deleteMessage(message.id)),
  };
}

function Siblings({ message, sessionId }: { message: Message; sessionId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const messages = useLive((state) => state.states.get(sessionId)?.messages);
  const ids = messages ? siblingsIn(messages, message) : [];
  if (ids.length < 2) return null;
  const index = ids.indexOf(message.id);
  const show = (next: number) =>
    ids[next] && void client.chooseHead(sessionId, ids[next]).catch((error: Error) => notify({ title: error.message }));
  return (
    <span className="flex items-center text-2xs text-fg-3">
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

function quoteOf({ text }: Message): string {
  return text.replace(/^/gm, '> ');
}

function asMarkdown({ agent, text }: Message): string {
  return agent ? `**${agent}**\n\n${text}` : text;
}
