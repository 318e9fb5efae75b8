// What the conversation uses of panels, in one piece that is loaded later: see `panels-loaded.ts`.
export { openArtifact } from './open-artifact.ts';
export { openPanel } from './open-panels.ts';
export { contextOf } from './panel-context.ts';
export { openPreview } from './previews.ts';
