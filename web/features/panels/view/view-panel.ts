import { Table2 } from 'lucide-react';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** Items of lists, and notes, that fit a saved query: as a table, a board, a list or a calendar. */
export const viewPanel: Panel = {
  type: 'view',
  icon: Table2,
  isOffered: () => true,
  Component: lazyPart(async () => (await import('./view-pane.tsx')).ViewPane),
};
