import { NotebookText } from 'lucide-react';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** A note: read, written, and as it was. */
export const notePanel: Panel = {
  type: 'note',
  icon: NotebookText,
  isOffered: () => true,
  Component: lazyPart(async () => (await import('./note-pane.tsx')).NotePane),
};
