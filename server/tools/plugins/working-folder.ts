import { AppError } from '../../../contract/errors.ts';
import type { Working, Workspaces } from '../../workspaces/workspaces.ts';
import { ToolFailure } from '../tool.ts';

export interface FolderSource {
  readonly workspaces: Pick<Workspaces, 'folderOf'>;
}

/** The folder in which a tool works. An agent is told why there is none. */
export async function workingFolder(workspaces: FolderSource['workspaces'], working: Working): Promise<string> {
  try {
    return await workspaces.folderOf(working);
  } catch (error) {
    if (error instanceof AppError) throw new ToolFailure(error.message, error.code);
    throw error;
  }
}
