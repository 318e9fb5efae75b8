import { AppWindow } from 'lucide-react';
import type { Panel } from '../../../state/panels.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** HTML, SVG or a diagram that a model has written, in a frame that can reach nothing. */
export const previewPanel: Panel = {
  type: 'preview',
  icon: AppWindow,
  isOffered: () => true,
  isOpenedElsewhere: true,
  Component: lazyPart(async () => (await import('./preview-pane.tsx')).PreviewPane),
};
