import type { Files } from '../../files/files.ts';
import { commandOf, type Plugin } from '../../tools/plugin.ts';
import type { FolderSource } from '../../tools/plugins/working-folder.ts';
import { skillPathOf } from '../../tools/skills.ts';
import type { Artifacts } from '../artifacts.ts';
import { fileReadingTools } from './file-reading-tools.ts';
import { fileWorkspaceTools } from './file-workspace-tools.ts';
import { fileWritingTools } from './file-writing-tools.ts';
import { historyTools } from './history-tools.ts';

/** What tools for kept files use. */
export interface FileToolDeps extends FolderSource {
  readonly artifacts: Artifacts;
  readonly files: Files;
}

/** Files that are kept for the user; those of an agent's workspace have tools of their own. */
export function artifactFilesPlugin(deps: FileToolDeps): Plugin {
  return {
    id: 'artifact-files',
    description:
      'Files that are kept for the user: list, read, search, create, change, and copy from and to the workspace.',
    skillPath: skillPathOf('artifact-files'),
    command: commandOf('artifact-files'),
    tools: [
      ...fileReadingTools(deps),
      ...fileWritingTools(deps),
      ...fileWorkspaceTools(deps),
      ...historyTools(deps.artifacts, 'file', { plugin: 'artifact-files', prefix: 'artifact_files' }),
    ],
  };
}
