import { ArrowLeftRight, Columns3Cog, Ellipsis, Eye, EyeOff, History, Link2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { List } from '../../../../contract/lists.ts';
import { HistoryDialog } from '../../../artifacts/history-dialog.tsx';
import { removeArtifact } from '../../../artifacts/trash.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { artifactLink } from '../../../state/artifact-links.ts';
import { closePanel, showInPanel } from '../../../state/open-panels.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { useCopy } from '../../../ui/use-copy.ts';
import { useFieldName } from './field-names.ts';
import { FieldsDialog } from './fields-dialog.tsx';

interface Props {
  sessionId: string;
  panelId: string;
  list: List;
  count: number;
  words: string;
  onWords(words: string): void;
  isDoneShown: boolean;
  onDoneShown(isShown: boolean): void;
}

/** What to see of the list, and what can be done with all of it. */
export function ListHeader({ sessionId, panelId, list, count, words, onWords, isDoneShown, onDoneShown }: Props) {
  const text = useText();
  const live = useLiveConnection();
  const { copy } = useCopy();
  const [dialog, setDialog] = useState<'fields' | 'history' | null>(null);
  const nameOf = useFieldName(list.fields);
  const close = () => setDialog(null);
  const remove = () => void removeArtifact(live, list).then((isGone) => isGone && closePanel(sessionId, panelId));
  return (
    <header className="flex flex-none items-center gap-1 border-b border-line px-2 py-1.5">
      <input
        type="search"
        value={words}
        onChange={({ target }) => onWords(target.value)}
        aria-label={text('list.filter')}
        placeholder={text('list.filterCount', { count })}
        className="h-7 min-w-0 flex-1 rounded-md border border-line bg-surface px-2 touch:text-[16px]"
      />
      <IconButton
        label={text(isDoneShown ? 'list.hideDone' : 'list.showDone')}
        aria-pressed={!isDoneShown}
        onClick={() => onDoneShown(!isDoneShown)}
      >
        {isDoneShown ? <Eye size={15} /> : <EyeOff size={15} />}
      </IconButton>
      <Menu
        trigger={
          <IconButton label={text('list.menu')}>
            <Ellipsis size={15} />
          </IconButton>
        }
      >
        <MenuItem icon={<Columns3Cog size={14} />} onSelect={() => setDialog('fields')}>
          {text('list.fields')}
        </MenuItem>
        <MenuItem icon={<History size={14} />} onSelect={() => setDialog('history')}>
          {text('history.title')}
        </MenuItem>
        <MenuItem icon={<Link2 size={14} />} onSelect={() => copy(artifactLink(list.id))}>
          {text('artifacts.copyLink')}
        </MenuItem>
        {sessionId !== '' && (
          <MenuItem icon={<ArrowLeftRight size={14} />} onSelect={() => showInPanel(sessionId, panelId, null)}>
            {text('list.another')}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={remove}>
          {text('artifacts.toTrash')}
        </MenuItem>
      </Menu>
      {dialog === 'fields' && <FieldsDialog list={list} onClose={close} />}
      {dialog === 'history' && (
        <HistoryDialog
          artifactId={list.id}
          title={text('history.of', { name: list.name })}
          nameOf={nameOf}
          onClose={close}
        />
      )}
    </header>
  );
}
