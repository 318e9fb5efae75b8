import { Ellipsis } from 'lucide-react';
import { useCallback, useEffect, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { useSlots } from '../../state/slots.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';

/** What can be done with the open session; the same as in the menu of its row. */
export function SessionMenu({ sessionId, onRename }: { sessionId: string; onRename(): void }) {
  const text = useText();
  const deps = useSessionDeps();
  const { SessionMenuItems } = useSlots();
  /** Stays until the menu is opened again: the trigger takes the focus only if nothing else is to have it. */
  const next = useRef<(() => void) | null>(null);
  const later = (open: () => void) => {
    next.current = open;
  };
  const forget = useCallback(() => {
    next.current = null;
  }, []);
  const trigger = (
    <IconButton label={text('conversation.actions')}>
      <Ellipsis size={15} />
    </IconButton>
  );
  return (
    <Menu trigger={trigger} onClosed={() => next.current?.()} finalFocus={() => next.current === null}>
      <WhenOpened run={forget} />
      <SessionMenuItems id={sessionId} deps={deps} later={later} onRename={onRename} />
    </Menu>
  );
}

/** What is in a menu exists only while the menu is open. */
function WhenOpened({ run }: { run(): void }) {
  useEffect(run, [run]);
  return null;
}
