import { PanelsTopLeft } from 'lucide-react';
import type { PanelType } from '../../../../contract/panels.ts';
import { useText } from '../../../i18n/text.ts';
import { useLive } from '../../../live/use-live.ts';
import { loadPanels } from '../../../state/panels-loaded.ts';
import { type OfSession, useSlots } from '../../../state/slots.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { notify } from '../../../ui/toast.tsx';

/** Opens a panel beside the conversation. */
export function OpenPanelMenu({ sessionId }: OfSession) {
  const text = useText();
  const { panels } = useSlots();
  const session = useLive(({ sessions }) => sessions.get(sessionId));
  if (!session) return null;
  const open = (type: PanelType) =>
    loadPanels().then(
      ({ openPanel }) => openPanel(sessionId, type),
      () => notify({ title: text('page.partFailed') }),
    );
  const offered = panels.filter((kind) => !kind.isOpenedElsewhere && kind.isOffered(session));
  return (
    <Menu
      trigger={
        <IconButton label={text('panel.open')}>
          <PanelsTopLeft size={15} />
        </IconButton>
      }
    >
      {offered.map(({ type, icon: Icon }) => (
        <MenuItem key={type} icon={<Icon size={14} />} onSelect={() => void open(type)}>
          {text(`panel.kind.${type}`)}
        </MenuItem>
      ))}
    </Menu>
  );
}
