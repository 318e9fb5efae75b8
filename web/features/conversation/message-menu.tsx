import { Copy, Eye, FileText, GitFork, Pencil, Quote, RotateCcw, Trash2, Volume2 } from 'lucide-react';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { MenuInfo, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { useMessageFacts } from './message-facts.ts';
import type { MessageVerbs } from './message-verbs.ts';

interface Props {
  message: Message;
  verbs: MessageVerbs;
  hasAll: boolean;
}

export function MessageMenu({ message, verbs, hasAll }: Props) {
  const text = useText();
  const { details } = useMessageFacts(message);
  return (
    <>
      {hasAll && <Quick verbs={verbs} />}
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

function Quick({ verbs }: { verbs: MessageVerbs }) {
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
