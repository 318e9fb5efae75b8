import { ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import type { SectionRow } from './rows.ts';
import { type ItemProps, treeItem } from './tree-item.ts';
import { useDropPlace } from './use-drag.ts';

export function SectionItem({ row, isStop, deps }: ItemProps<SectionRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  const over = useDropPlace(element, row, deps);
  const name = text(`sidebar.section.${row.section}`);
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className={cx(
        'flex h-8 cursor-pointer items-center gap-1.5 rounded-md pt-1 touch:h-11 pr-2 pl-1 text-xs font-medium text-fg-3 select-none hover:text-fg',
        over && 'bg-hover text-fg',
      )}
    >
      <ChevronRight size={13} aria-hidden="true" className={cx('transition-transform', row.open && 'rotate-90')} />
      <span dir="auto" className="truncate">
        {name}
      </span>
      {row.count !== null && <Count count={row.count} />}
    </div>
  );
}

export function Count({ count }: { count: number }) {
  if (count === 0) return null;
  return <span className="rounded-full bg-raised px-1.5 text-2xs font-normal text-fg-2">{count}</span>;
}
