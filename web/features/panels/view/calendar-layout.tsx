import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { ViewRow } from '../../../../contract/views.ts';
import { dayOf } from '../../../artifacts/due.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { language } from '../../../i18n/text.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import type { LayoutProps } from './layout-props.ts';
import { RowTitle } from './row-title.tsx';
import { dayOfRow, idOf, isDone, titleOf } from './rows.ts';

const SHOWN = 3;

/** A month; the rows of the chosen day stand below it. */
export function CalendarLayout(props: LayoutProps) {
  const text = useText();
  const { view, rows } = props;
  const today = dayOf(new Date());
  const [month, setMonth] = useState(() => new Date(new Date().getFullYear(), new Date().getMonth(), 1));
  const [day, choose] = useState(today);
  const byDay = Map.groupBy(rows.rows, (row) => dayOfRow(row, view.dateField));
  const step = (by: number) => setMonth(new Date(month.getFullYear(), month.getMonth() + by, 1));
  const here = () => {
    setMonth(new Date(new Date().getFullYear(), new Date().getMonth(), 1));
    choose(today);
  };
  const without = byDay.get(null)?.length ?? 0;
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="flex flex-none items-center gap-1 px-2 py-1">
        <IconButton label={text('view.monthBefore')} onClick={() => step(-1)}>
          <ChevronLeft size={15} />
        </IconButton>
        <h2 aria-live="polite" className="min-w-36 text-center font-semibold">
          {month.toLocaleDateString(language(), { month: 'long', year: 'numeric' })}
        </h2>
        <IconButton label={text('view.monthAfter')} onClick={() => step(1)}>
          <ChevronRight size={15} />
        </IconButton>
        <Button look="plain" onClick={here}>
          {text('view.today')}
        </Button>
        {without > 0 && (
          <span className="ml-auto text-xs text-fg-3">{text('view.withoutDate', { count: without })}</span>
        )}
      </div>
      <table className="w-full flex-none table-fixed border-collapse" aria-label={view.name}>
        <thead>
          <tr>
            {weekOf(month)[0]!.map((at) => (
              <th key={at.getDay()} className="py-1 text-2xs font-normal text-fg-3">
                {at.toLocaleDateString(language(), { weekday: 'short' })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekOf(month).map((week) => (
            <tr key={dayOf(week[0]!)}>
              {week.map((at) => (
                <Day
                  key={dayOf(at)}
                  at={at}
                  isOther={at.getMonth() !== month.getMonth()}
                  isToday={dayOf(at) === today}
                  isChosen={dayOf(at) === day}
                  rows={byDay.get(dayOf(at)) ?? []}
                  onChoose={() => choose(dayOf(at))}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul aria-label={dayName(day)} className="p-2">
        {(byDay.get(day) ?? []).map((row) => (
          <li key={idOf(row)} className="flex min-h-8 items-center gap-2 rounded-md px-2 hover:bg-hover">
            <RowTitle row={row} {...props} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DayProps {
  at: Date;
  isOther: boolean;
  isToday: boolean;
  isChosen: boolean;
  rows: readonly ViewRow[];
  onChoose(): void;
}

function Day({ at, isOther, isToday, isChosen, rows, onChoose }: DayProps) {
  const text = useText();
  const label = `${dayName(dayOf(at))}, ${text('view.count', { count: rows.length })}`;
  return (
    <td className="h-20 border border-line p-0 align-top @max-[480px]:h-12">
      <button
        type="button"
        aria-label={label}
        aria-pressed={isChosen}
        aria-current={isToday ? 'date' : undefined}
        onClick={onChoose}
        className={cx(
          'flex size-full flex-col items-stretch gap-0.5 p-1 text-left hover:bg-hover',
          isChosen && 'bg-hover',
          isOther && 'text-fg-2',
        )}
      >
        <span className={cx('text-2xs', isToday && 'font-semibold text-fg underline')}>{at.getDate()}</span>
        {rows.slice(0, SHOWN).map((row) => (
          <span
            key={idOf(row)}
            dir="auto"
            className={cx(
              'truncate rounded-sm bg-accent/12 px-1 text-2xs @max-[480px]:hidden',
              isDone(row) && 'line-through',
            )}
          >
            {titleOf(row)}
          </span>
        ))}
        {rows.length > 0 && <span className="text-2xs text-fg-2 @min-[481px]:hidden">{rows.length}</span>}
        {rows.length > SHOWN && <span className="text-2xs text-fg-2 @max-[480px]:hidden">+{rows.length - SHOWN}</span>}
      </button>
    </td>
  );
}

function dayName(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(language(), { weekday: 'long', day: 'numeric', month: 'long' });
}

/** The weeks of a month, from Monday on. */
function weekOf(month: Date): Date[][] {
  const first = new Date(month);
  first.setDate(1 - ((month.getDay() + 6) % 7));
  const weeks: Date[][] = [];
  for (let at = first; weeks.length < 6; ) {
    const week = Array.from({ length: 7 }, (_, day) => new Date(at.getFullYear(), at.getMonth(), at.getDate() + day));
    weeks.push(week);
    at = new Date(at.getFullYear(), at.getMonth(), at.getDate() + 7);
    if (at.getMonth() !== month.getMonth() && weeks.length >= 4) break;
  }
  return weeks;
}
