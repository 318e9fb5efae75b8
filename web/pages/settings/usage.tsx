import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { UsageReport } from '../../../contract/delegation.ts';
import { digitsFor, money, shortDate } from '../../i18n/formats.ts';
import { useText } from '../../i18n/page-words.ts';
import { language, sessionTitle } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { Loaded, Section } from '../../ui/page.tsx';
import { Choice } from './choice.tsx';
import {
  dayBars,
  isPeriod,
  lastDays,
  type Period,
  tokensOf,
  toMoments,
  type UsageBy,
  type UsageRow,
} from './usage-figures.ts';

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

const SHOWN = 50;

function UsageTable({ by, report: { total, rows, currency } }: { by: UsageBy; report: UsageReport }) {
  const text = useText();
  const most = Math.max(1, ...rows.map(tokensOf));
  const digits = digitsFor(rows.map(({ cost }) => cost ?? 0));
  return (
    <>
      <p className="mb-1 text-xs text-fg-3 lg:hidden">{text('settings.usageScroll')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: it groups no form */}
      <div role="group" className="overflow-x-auto" tabIndex={0} aria-label={text('settings.usage')}>
        <table className="w-full min-w-[460px] text-left">
          <thead className="text-xs text-fg-3">
            <tr className="border-b border-line">
              <th className="py-1.5 font-medium">{text(`settings.usageBy.${by}`)}</th>
              {(['turns', 'input', 'output', 'cost'] as const).map((column) => (
                <th key={column} className="py-1.5 pl-3 text-right font-medium">
                  {text(`settings.usage.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN).map((row) => (
              <tr key={row.key} className="border-b border-line/60">
                <td className="max-w-52 py-1.5">
                  <Name by={by} name={row.key} />
                  <Share of={tokensOf(row) / most} />
                </td>
                <Cells row={row} currency={currency} digits={digits} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="font-medium">
              <td className="py-1.5">{text('settings.usageTotal')}</td>
              <Cells row={total} currency={currency} digits={digits} />
            </tr>
          </tfoot>
        </table>
      </div>
    </>
  );
}

function Cells({ row, currency, digits }: { row: Omit<UsageRow, 'key'>; currency: string; digits: 2 | 4 }) {
  const number = new Intl.NumberFormat(language());
  const cells: readonly (readonly [string, ReactNode])[] = [
    ['turns', number.format(row.turns)],
    ['input', number.format(row.inputTokens)],
    ['output', number.format(row.outputTokens)],
    ['cost', row.cost === undefined ? '–' : money(row.cost, currency, digits)],
  ];
  return cells.map(([name, value]) => (
    <td key={name} className="py-1.5 pl-3 text-right align-top whitespace-nowrap">
      {value}
    </td>
  ));
}

function Share({ of }: { of: number }) {
  return (
    <span aria-hidden="true" className="mt-1 block h-0.5 rounded-full bg-line">
      <span className="block h-full rounded-full bg-(--st-connecting)" style={{ width: `${of * 100}%` }} />
    </span>
  );
}

function Name({ by, name }: { by: UsageBy; name: string }) {
  const text = useText();
  const agentName = useAgentName(by === 'agent' ? name : null);
  const session = useSession(by === 'session' ? name : '');
  if (by === 'day') return shortDate(name);
  if (by === 'session') {
    return (
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: name }}
        className="block truncate text-link hover:underline touch:py-3"
      >
        {session ? sessionTitle(session.title) : name}
      </Link>
    );
  }
  return <span className="block truncate">{(by === 'agent' ? agentName : name) || text('settings.unknownModel')}</span>;
}
