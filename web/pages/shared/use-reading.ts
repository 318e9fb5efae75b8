import { useCallback, useEffect, useState } from 'react';
import type { RouteClient } from '../../../client/route-client.ts';
import { AppError, ERROR_STATUS } from '../../../contract/errors.ts';
import type { SharedSession } from '../../../contract/shares.ts';

type Reading =
  | { readonly state: 'reading' | 'nowhere' | 'failed' }
  | { readonly state: 'read'; readonly shared: SharedSession };

/** What the link leads to. The server does not say whether it ever led anywhere. */
export function useReading(client: RouteClient, token: string): { reading: Reading; again(): void } {
  const [reading, setReading] = useState<Reading>({ state: 'reading' });
  const again = useCallback(() => {
    setReading({ state: 'reading' });
    client.call('readShare', { token }).then(
      (shared) => setReading({ state: 'read', shared }),
      (error: unknown) => setReading({ state: stateOf(error) }),
    );
  }, [client, token]);
  useEffect(again, [again]);
  return { reading, again };
}

/** Too many requests and what is the server's own fault may pass; everything else stays as it is. */
export function stateOf(error: unknown): 'nowhere' | 'failed' {
  if (!(error instanceof AppError)) return 'failed';
  const status = ERROR_STATUS[error.code];
  return status < 500 && status !== 429 ? 'nowhere' : 'failed';
}

/** The end of a link, as it stands in the address. */
export function tokenIn(path: string): string {
  const end = path.replace(/^\/s\//, '').replace(/\/+$/, '');
  try {
    return decodeURIComponent(end);
  } catch {
    return end;
  }
}
