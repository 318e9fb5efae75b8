import type { Panel } from '../../state/panels.ts';
import { builderPanel } from './builder/builder-panel.ts';
import { changesPanel } from './changes/changes-panel.ts';
import { previewPanel } from './preview/preview-panel.ts';

/** Every panel, in the order in which a session offers them. */
export const PANELS: readonly Panel[] = [builderPanel, changesPanel, previewPanel];
