import { useText } from '../i18n/text.ts';
import { useLive } from '../live/use-live.ts';

/** Only when something is wrong with the connection, and then what will happen. */
export function ConnectionBanner() {
  const text = useText();
  const connection = useLive((state) => state.connection);
  if (connection !== 'lost' && connection !== 'stopping') return null;
  return (
    <p role="status" className="flex-none border-b border-line bg-raised px-4 py-1.5 text-center text-fg-2">
      {text(connection === 'lost' ? 'app.offline' : 'app.stopping')}
    </p>
  );
}
