import { Folder, FolderOpen } from 'lucide-react';
import { useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import type { FolderRow } from './rows.ts';
import { Count } from './section-item.tsx';
import { type ItemProps, treeItem } from './tree-item.ts';
import { useDropPlace } from './use-drag.ts';

export function FolderItem({ row, isStop, deps }: ItemProps<FolderRow>) {
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  const over = useDropPlace(element, row, deps);
  const Icon = row.open ? FolderOpen : Folder;
  return (
    <div
      ref={element}
      {...treeItem(row, isStop)}
      className={cx(
        'flex h-7.5 touch:h-11 cursor-pointer items-center gap-2 rounded-md px-2 text-fg-2 select-none hover:bg-hover hover:text-fg',
        over && 'bg-hover outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <Icon size={14} aria-hidden="true" className="flex-none" />
      <span className="sr-only">{text('sidebar.folder')}</span>
      <span dir="auto" className="truncate">
        {row.name}
      </span>
      <Count count={row.count} />
    </div>
  );
}
