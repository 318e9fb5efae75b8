import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UsageReport } from '../../../contract/delegation.ts';
import { language, useText } from '../../i18n/text.ts';
import { shortDate } from '../../i18n/time.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Loaded, Section } from '../../ui/page.tsx';
import { Choice } from './choice.tsx';
import { dayBars, isPeriod, lastDays, type Period, toMoments, type UsageBy, type UsageRow } from './usage-figures.ts';
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
    queryFn: () => client.call('usage', { query: { by, ...toMoments(period) } }),
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

const HEIGHT = 64;
const STEP = 10;

/** Tokens by day. The table says the same to those who do not see it. */
function DayChart({ rows, period }: { rows: readonly UsageRow[]; period: Period }) {
  const text = useText();
  const bars = dayBars(rows, period);
  const number = new Intl.NumberFormat(language());
  return (
    <figure className="mb-4">
      <svg
        role="img"
        aria-label={text('settings.usageChart')}
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-16 w-full"
      >
        {bars.map(({ day, tokens, share }, index) => (
          <rect
            key={day}
            x={index * STEP + 1}
            width={STEP - 2}
            y={HEIGHT - 1 - share * (HEIGHT - 2)}
            height={1 + share * (HEIGHT - 2)}
            fill={tokens === 0 ? 'var(--border)' : 'var(--st-connecting)'}
          >
            <title>{`${shortDate(day)}: ${number.format(tokens)}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption className="flex justify-between text-2xs text-fg-3">
        <span>{shortDate(bars[0]?.day ?? period.from)}</span>
        <span>{text('settings.usageChart')}</span>
        <span>{shortDate(period.to)}</span>
      </figcaption>
    </figure>
  );
}
