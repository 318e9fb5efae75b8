import { ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import type { DayRow } from './rows.ts';
import { type ItemProps, treeItem } from './tree-item.ts';
import { useDropPlace } from './use-drag.ts';

export function DayItem({ row, isStop, deps }: ItemProps<DayRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  const over = useDropPlace(element, row, deps);
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className={cx(
        'group/day flex h-6.5 cursor-pointer items-center gap-1 rounded-md px-2 text-2xs text-fg-3 select-none hover:text-fg touch:h-11',
        over && 'bg-hover text-fg',
      )}
    >
      {text(`sidebar.day.${row.day}`)}
      <ChevronRight
        size={11}
        aria-hidden="true"
        className={cx(row.open ? 'rotate-90 opacity-0 group-hover/day:opacity-100 touch:opacity-100' : '')}
      />
    </div>
  );
}
