import { language, useText } from '../../i18n/text.ts';
import { shortDate } from '../../i18n/time.ts';
import { dayBars, type Period, type UsageRow } from './usage-figures.ts';

const HEIGHT = 64;
const STEP = 10;

/** Tokens by day. The table says the same to those who do not see it. */
export function DayChart({ rows, period }: { rows: readonly UsageRow[]; period: Period }) {
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
