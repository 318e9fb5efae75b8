import { FileDiff } from 'lucide-react';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { tellComments } from './comments.ts';

/** What agents changed in their workspaces, with comments on lines that go into the next message. */
export const changesPanel: Panel = {
  type: 'changes',
  icon: FileDiff,
  isOffered: () => true,
  Component: lazyPart(async () => (await import('./changes-pane.tsx')).ChangesPane),
  beforeSend: tellComments,
};
