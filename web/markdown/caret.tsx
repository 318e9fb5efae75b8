import { useContext } from 'react';
import { IsOffline } from '../ui/offline.ts';

/** Where the next words will stand. It takes up no room, so nothing moves when it goes. Without a connection none come. */
export function Caret() {
  return useContext(IsOffline) ? null : <span aria-hidden="true" className="caret" />;
}
