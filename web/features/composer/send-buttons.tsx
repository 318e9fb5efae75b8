import { ArrowUp, ChevronDown, CornerDownRight, ListEnd, Square, Zap } from 'lucide-react';
import type { WhenBusy } from '../../../contract/turns.ts';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { spell } from '../../state/shortcuts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { notify } from '../../ui/toast.tsx';

interface Props {
  sessionId: string;
  isBusy: boolean;
  waiting: number;
  canSend: boolean;
  onSend(busy: WhenBusy): void;
}

/** While somebody works it can be stopped; what is written meanwhile waits, interrupts or goes along. */
export function SendButtons({ sessionId, isBusy, waiting, canSend, onSend }: Props) {
  const text = useText();
  if (!isBusy)
    return (
      <Button
        look="primary"
        className="touch:min-w-11"
        disabled={!canSend}
        onClick={() => onSend('queue')}
        aria-label={text('composer.send')}
      >
        <ArrowUp size={15} />
        <span className="hidden @sm:inline">{text('composer.send')}</span>
      </Button>
    );
  return (
    <>
      {canSend && (
        <span className="inline-flex">
          <Button className="rounded-r-none border-r-0 touch:min-w-11" onClick={() => onSend('queue')}>
            <ListEnd size={15} />
            <span className="sr-only @sm:not-sr-only">{text('composer.queue')}</span>
          </Button>
          <BusyMenu onSend={onSend} />
        </span>
      )}
      <StopButton sessionId={sessionId} waiting={waiting} />
    </>
  );
}

function BusyMenu({ onSend }: { onSend(busy: WhenBusy): void }) {
  const text = useText();
  const trigger = (
    <IconButton label={text('composer.howToSend')} className="w-6 rounded-l-none border border-line bg-surface">
      <ChevronDown size={13} />
    </IconButton>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={<ListEnd size={14} />} keys="↵" onSelect={() => onSend('queue')}>
        {text('composer.queueAbout')}
      </MenuItem>
      <MenuItem icon={<CornerDownRight size={14} />} keys={spell('Alt ↵')} onSelect={() => onSend('steer')}>
        {text('composer.steerAbout')}
      </MenuItem>
      <MenuItem icon={<Zap size={14} />} keys={spell('Mod+↵')} onSelect={() => onSend('interrupt')}>
        {text('composer.interruptAbout')}
      </MenuItem>
    </Menu>
  );
}

/** Stops everything here: those who work, and what waits. */
function StopButton({ sessionId, waiting }: { sessionId: string; waiting: number }) {
  const text = useText();
  const { client } = useLiveConnection();
  const isOffline = useLive(({ connection }) => connection === 'lost');
  const stop = () =>
    void client.call('cancelSession', { sessionId }).catch((error: Error) => notify({ title: error.message }));
  const label = text(waiting > 0 ? 'composer.stopAll' : 'composer.stop');
  return (
    <Button
      look="primary"
      className="touch:min-w-11"
      disabled={isOffline}
      onClick={stop}
      aria-label={label}
      title={label}
    >
      <Square size={12} fill="currentColor" />
      <span className="hidden @sm:inline">{label}</span>
    </Button>
  );
}
