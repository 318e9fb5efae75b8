import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { AppError } from '../../../contract/errors.ts';
import { serverText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { notify } from '../../ui/toast.tsx';

export function useOutgoing() {
  const { client } = useLiveConnection();
  return useLiveQuery('out', () => client.call('listOutgoingWebhooks'));
}

export function useIncoming() {
  const { client } = useLiveConnection();
  return useLiveQuery('in', () => client.call('listIncomingWebhooks'));
}

/** Read again whenever webhooks, their deliveries or requests have changed; what was there stays until then. */
export function useLiveQuery<Data>(of: string, queryFn: () => Promise<Data>) {
  const version = useLive((state) => state.webhooksVersion);
  return useQuery({
    queryKey: ['webhooks', of, version],
    queryFn,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
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
