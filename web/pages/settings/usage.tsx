import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UsageReport } from '../../../contract/delegation.ts';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Loaded, Section } from '../../ui/page.tsx';
import { Choice } from './choice.tsx';
import { DayChart } from './day-chart.tsx';
import { isPeriod, lastDays, type Period, toMoments, type UsageBy } from './usage-figures.ts';
import { UsageTable } from './usage-table.tsx';

const BY: readonly UsageBy[] = ['agent', 'session', 'model', 'day'];

/** Tokens and cost: day by day as bars, and as a table by whatever the person asks. */
export function Usage() {
  const text = useText();
  const [period, setPeriod] = useState(() => lastDays(30, Date.now()));
  const [by, setBy] = useState<UsageBy>('agent');
  const perDay = useUsage('day', period);
  const report = useUsage(by, period);
  return (
    <Section id="usage" title={text('settings.usage')} hint={text('settings.usageHint')}>
      <PeriodFields period={period} onChange={setPeriod} />
      <Choice<UsageBy>
        legend={text('settings.usageBy')}
        value={by}
        onChange={setBy}
        options={BY.map((value) => ({ value, label: text(`settings.usageBy.${value}`) }))}
      />
      <Loaded query={report}>
        {(data) =>
          data.rows.length === 0 ? <Nothing /> : <Figures by={by} data={data} days={perDay.data} period={period} />
        }
      </Loaded>
    </Section>
  );
}

function Figures({
  by,
  data,
  days,
  period,
}: {
  by: UsageBy;
  data: UsageReport;
  days?: UsageReport | undefined;
  period: Period;
}) {
  return (
    <>
      {days && <DayChart rows={days.rows} period={period} />}
      <UsageTable by={by} report={data} />
    </>
  );
}

function Nothing() {
  const text = useText();
  return <p className="text-fg-2">{text('settings.noUsage')}</p>;
}

function useUsage(by: UsageBy, period: Period) {
  const { client } = useLiveConnection();
  return useQuery({
    queryKey: ['usage', by, period],
    queryFn: () => client.usage({ by, ...toMoments(period) }),
    placeholderData: (before) => before,
    enabled: isPeriod(period),
  });
}

function PeriodFields({ period, onChange }: { period: Period; onChange(period: Period): void }) {
  const text = useText();
  const field = (name: keyof Period) => (
    <label className="inline-flex h-7 items-center gap-1.5 rounded-md border border-line bg-surface px-2 touch:h-11">
      <span className="text-fg-2">{text(`settings.period.${name}`)}</span>
      <input
        type="date"
        required
        value={period[name]}
        aria-invalid={!isPeriod(period)}
        onChange={(event) => onChange({ ...period, [name]: event.target.value })}
        className="bg-transparent text-xs"
      />
    </label>
  );
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {field('from')}
      {field('to')}
      {!isPeriod(period) && <p className="text-danger">{text('settings.noPeriod')}</p>}
    </div>
  );
}
