import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schedule, ScheduleRun } from '../../../contract/schedules.ts';
import { useText } from '../../i18n/schedule-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Loaded } from '../../ui/page.tsx';
import { moment } from './use-schedules.ts';

/** The newest runs of a schedule. */
export function RunList({ schedule }: { schedule: Schedule }) {
  const text = useText();
  const { client } = useLiveConnection();
  const runs = useQuery({
    queryKey: ['schedules', schedule.id, 'runs', schedule.lastRun?.id, schedule.lastRun?.state],
    queryFn: () => client.call('listScheduleRuns', { scheduleId: schedule.id, query: { limit: 50 } }),
    staleTime: 0,
    placeholderData: (before) => before,
  });
  return (
    <section aria-label={text('schedules.historyOf', { name: schedule.name })} className="mt-2 sm:ml-8">
      <Loaded query={runs}>
        {({ runs: list }) =>
          list.length === 0 ? (
            <p className="text-xs text-fg-3">{text('schedules.noRuns')}</p>
          ) : (
            <ol className="divide-y divide-line border-y border-line text-xs">
              {list.map((run) => (
                <RunRow key={run.id} run={run} schedule={schedule} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}

const STATES = {
  sending: 'schedules.sending',
  sent: 'schedules.sent',
  failed: 'schedules.failed',
  missed: 'schedules.skipped',
} as const;

function RunRow({ run, schedule }: { run: ScheduleRun; schedule: Schedule }) {
  const text = useText();
  const { state, dueAt, error, missedBefore, sessionId } = run;
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-1.5">
      <span className="w-44 text-fg-2">{dueAt ? moment(dueAt, schedule) : text('schedules.byHand')}</span>
      <span className={state === 'failed' ? 'min-w-0 flex-1 text-danger' : 'min-w-0 flex-1'}>
        {text(STATES[state], { reason: error ?? '' })}
        {missedBefore > 0 && (
          <span className="text-fg-3"> · {text('schedules.missedBefore', { count: missedBefore })}</span>
        )}
      </span>
      {sessionId && (
        <Link to="/sessions/$sessionId" params={{ sessionId }} className="touch-link text-link hover:underline">
          {text('schedules.openSession')}
        </Link>
      )}
    </li>
  );
}
