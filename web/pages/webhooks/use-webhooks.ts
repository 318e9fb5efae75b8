import { useQuery, useQueryClient } from '@tanstack/react-query';
import { AppError } from '../../../contract/errors.ts';
import { serverText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { notify } from '../../ui/toast.tsx';

/** Deliveries and requests happen without this page: it looks again every few seconds while it is open. */
export const LOOK_AGAIN_MS = 5000;

export function useOutgoing() {
  const { client } = useLiveConnection();
  const queryFn = () => client.call('listOutgoingWebhooks');
  return useQuery({ queryKey: ['webhooks', 'out'], queryFn, staleTime: 0, refetchInterval: LOOK_AGAIN_MS });
}

export function useIncoming() {
  const { client } = useLiveConnection();
  const queryFn = () => client.call('listIncomingWebhooks');
  return useQuery({ queryKey: ['webhooks', 'in'], queryFn, staleTime: 0, refetchInterval: LOOK_AGAIN_MS });
}

/** Does something to webhooks and reads them again; says what went wrong. Null when it did. */
export function useWebhookVerb(): <T>(work: () => Promise<T>) => Promise<T | null> {
  const queries = useQueryClient();
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      notify({ title: problemText(error as Error) });
      return null;
    } finally {
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
    }
  };
}

export function problemText(error: Error): string {
  return error instanceof AppError ? serverText(error.issues?.[0] ?? error.message, error.text) : error.message;
}
