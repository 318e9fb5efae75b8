import { Copy, Ellipsis, Pencil, RotateCcw } from 'lucide-react';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Menu } from '../../ui/menu.tsx';
import { useIsTouch } from '../../ui/use-touch.ts';
import { MessageMenu } from './message-menu.tsx';
import { type MessageVerbs, useMessageVerbs } from './message-verbs.ts';

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
      <Quick verbs={verbs} />
      {menu}
    </div>
  );
}

function Quick({ verbs }: { verbs: MessageVerbs }) {
  const text = useText();
  return (
    <>
      <IconButton label={text('message.copy')} onClick={verbs.copy}>
        <Copy size={14} />
      </IconButton>
      {verbs.edit && (
        <IconButton label={text('message.edit')} onClick={verbs.edit}>
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
