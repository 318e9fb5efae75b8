import { memo } from 'react';
import { DayItem } from './day-item.tsx';
import { FolderItem } from './folder-item.tsx';
import { HintItem, MoreItem } from './more-item.tsx';
import { SectionItem } from './section-item.tsx';
import { SessionItem } from './session-item.tsx';
import type { ItemProps } from './tree-item.ts';

export const RowItem = memo(function RowItem({ row, ...rest }: ItemProps) {
  switch (row.kind) {
    case 'section':
      return <SectionItem row={row} {...rest} />;
    case 'day':
      return <DayItem row={row} {...rest} />;
    case 'folder':
      return <FolderItem row={row} {...rest} />;
    case 'session':
      return <SessionItem row={row} {...rest} />;
    case 'more':
      return <MoreItem row={row} {...rest} />;
    case 'hint':
      return <HintItem row={row} {...rest} />;
    default:
      return row satisfies never;
  }
});
