import { useEffect, useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import type { HintRow, MoreRow } from './rows.ts';
import { type ItemProps, treeItem } from './tree-item.ts';
import { loadMore } from './use-list-clicks.ts';

/** Coming into sight is asking for it. */
export function MoreItem({ row, isStop, deps }: ItemProps<MoreRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const sight = new IntersectionObserver(([entry]) => entry?.isIntersecting && loadMore(deps, row.section));
    sight.observe(element.current!);
    return () => sight.disconnect();
  }, [deps, row.section]);
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className="flex h-8 cursor-pointer items-center rounded-md px-2 text-xs touch:h-11 text-fg-3 hover:text-fg"
    >
      {text('sidebar.more')}
    </div>
  );
}

export function HintItem({ row, isStop }: ItemProps<HintRow>) {
  const text = useText();
  return (
    <div {...treeItem(row, isStop)} className="rounded-md px-2 py-1 text-xs text-fg-3">
      {text(`sidebar.empty.${row.section}`)}
    </div>
  );
}
