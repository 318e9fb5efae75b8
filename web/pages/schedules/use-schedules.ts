import { useQuery, useQueryClient } from '@tanstack/react-query';
import { AppError } from '../../../contract/errors.ts';
import type { Schedule } from '../../../contract/schedules.ts';
import { language, serverText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { notify } from '../../ui/toast.tsx';

/** Runs happen without this page: it looks again every few seconds while it is open. */
const LOOK_AGAIN_MS = 5000;

export function useSchedules() {
  const { client } = useLiveConnection();
  const queryFn = () => client.call('listSchedules');
  return useQuery({ queryKey: ['schedules'], queryFn, staleTime: 0, refetchInterval: LOOK_AGAIN_MS });
}

/** Does something to schedules and reads them again; says what went wrong. */
export function useScheduleVerb(): (work: () => Promise<unknown>) => Promise<boolean> {
  const queries = useQueryClient();
  return async (work) => {
    try {
      await work();
      return true;
    } catch (error) {
      notify({ title: problemText(error as Error) });
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: ['schedules'] });
    }
  };
}

export function problemText(error: Error): string {
  return error instanceof AppError ? serverText(error.issues?.[0] ?? error.message, error.text) : error.message;
}

/** A moment in the zone of the schedule, with the zone where it is not the reader's. */
export function moment(at: string, { timeZone }: Pick<Schedule, 'timeZone'>): string {
  const date = new Date(at);
  const isHere = timeZone === new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const format = { timeZone, ...day, hour: '2-digit', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat(language(), isHere ? format : { ...format, timeZoneName: 'short' }).format(date);
}
