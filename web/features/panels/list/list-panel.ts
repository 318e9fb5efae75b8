import { ListTodo } from 'lucide-react';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** A list with its items. */
export const listPanel: Panel = {
  type: 'list',
  icon: ListTodo,
  isOffered: () => true,
  Component: lazyPart(async () => (await import('./list-pane.tsx')).ListPane),
};
