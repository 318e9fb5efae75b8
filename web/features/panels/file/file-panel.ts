import { File } from 'lucide-react';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** A file of the conversation. */
export const filePanel: Panel = {
  type: 'file',
  icon: File,
  isOffered: () => true,
  Component: lazyPart(async () => (await import('./file-pane.tsx')).FilePane),
};
