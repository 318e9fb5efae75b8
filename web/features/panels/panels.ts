import type { Panel } from '../../state/panels.ts';
import { builderPanel } from './builder/builder-panel.ts';
import { changesPanel } from './changes/changes-panel.ts';
import { filePanel } from './file/file-panel.ts';
import { listPanel } from './list/list-panel.ts';
import { notePanel } from './note/note-panel.ts';
import { previewPanel } from './preview/preview-panel.ts';
import { viewPanel } from './view/view-panel.ts';

/** Every panel, in the order in which a session offers them. */
export const PANELS: readonly Panel[] = [
  listPanel,
  notePanel,
  viewPanel,
  filePanel,
  changesPanel,
  builderPanel,
  previewPanel,
];
