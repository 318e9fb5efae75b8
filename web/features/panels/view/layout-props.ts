import type { View, ViewRow, ViewRows } from '../../../../contract/views.ts';
import type { ViewVerbs } from './use-view.ts';

/** What every layout is given. */
export interface LayoutProps {
  view: View;
  rows: ViewRows;
  verbs: ViewVerbs;
  selection: ReadonlySet<string>;
  onToggle(row: ViewRow): void;
  /** The list or note that a row belongs to. */
  onOpen(row: ViewRow): void;
}
