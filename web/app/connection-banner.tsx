import { CloudOff } from 'lucide-react';
import { useText } from '../i18n/text.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';

/** Only when something is wrong with the connection, and then what will happen. */
export function ConnectionBanner() {
  const text = useText();
  const live = useLiveConnection();
  const connection = useLive((state) => state.connection);
  if (connection !== 'lost' && connection !== 'stopping') return null;
  return (
    <div className="flex flex-none flex-wrap items-center justify-center gap-x-3 gap-y-1 border-b border-danger/50 bg-danger/12 px-4 py-1.5">
      <p role="status" className="flex min-w-0 items-center gap-2 font-medium text-fg">
        <CloudOff size={15} aria-hidden="true" className="flex-none text-danger" />
        {text(connection === 'lost' ? 'app.offline' : 'app.stopping')}
      </p>
      {connection === 'lost' && <Button onClick={() => live.reconnect()}>{text('app.reconnect')}</Button>}
    </div>
  );
}
