import { Download, MoreHorizontal, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Team } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { saveBlob, toFileName } from '../../ui/own-file.ts';
import { notify } from '../../ui/toast.tsx';
import { EditTeamDialog } from './team-dialogs.tsx';

/** What can be done with a team, in the list and on its page. */
export function TeamMenu({ team, onRemove }: { team: Team; onRemove(): void }) {
  const text = useText();
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={text('teams.actions', { name: team.name })}>
            <MoreHorizontal size={16} />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil size={14} />} onSelect={() => setEditing(true)}>
          {text('teams.edit')}
        </MenuItem>
        <ExportItem team={team} />
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={onRemove}>
          {text('teams.delete')}
        </MenuItem>
      </Menu>
      {isEditing && <EditTeamDialog team={team} onClose={() => setEditing(false)} />}
    </>
  );
}

/** With the definitions of its agents. */
function ExportItem({ team: { id, name } }: { team: Team }) {
  const text = useText();
  const { client } = useLiveConnection();
  const save = () =>
    client
      .call('exportTeam', { teamId: id })
      .then((file) => saveBlob(new Blob([`${JSON.stringify(file, null, 2)}\n`]), `${toFileName(name)}.team.json`))
      .catch((error: Error) => void notify({ title: error.message }));
  return (
    <MenuItem icon={<Download size={14} />} onSelect={() => void save()}>
      {text('teams.export')}
    </MenuItem>
  );
}
