import { Archive, CheckCheck, FolderInput, Trash2, X } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { ask } from '../../state/open-dialogs.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { archive, markRead, remove, sessionOf } from '../../state/session-verbs.ts';
import { IconButton } from '../../ui/button.tsx';
import { selectNone, useSelection } from './selection.ts';
import { focusList } from './use-roving.ts';

/** What can be done with several at once. */
export function BulkBar({ deps }: { deps: SessionDeps }) {
  const text = useText();
  const chosen = useSelection();
  const ids = [...chosen].filter((id) => sessionOf(deps, id));
  if (ids.length === 0) return null;
  const then = (act: () => unknown) => () => {
    act();
    selectNone();
    focusList();
  };
  return (
    <div
      role="toolbar"
      aria-label={text('sidebar.selection')}
      className="flex flex-none items-center border-t border-line bg-raised py-1 pr-1 pl-3"
    >
      <span role="status" className="min-w-0 flex-1 truncate text-fg-2">
        {text('sidebar.selected', { count: ids.length })}
      </span>
      <IconButton label={text('sidebar.markRead')} onClick={then(() => markRead(deps, ids))}>
        <CheckCheck size={15} />
      </IconButton>
      <IconButton label={text('sidebar.move')} onClick={() => ask({ kind: 'move', ids })}>
        <FolderInput size={15} />
      </IconButton>
      <IconButton label={text('sidebar.archive')} onClick={then(() => archive(deps, ids))}>
        <Archive size={15} />
      </IconButton>
      <IconButton label={text('sidebar.delete')} className="text-danger!" onClick={then(() => remove(deps, ids))}>
        <Trash2 size={15} />
      </IconButton>
      <IconButton label={text('sidebar.selectNone')} onClick={then(() => undefined)}>
        <X size={15} />
      </IconButton>
    </div>
  );
}
