import { z } from 'zod';
import { ArtifactName } from '../../../contract/artifacts.ts';
import { mediaTypeOfName } from '../../../contract/media-types.ts';
import { Workspace } from '../../tools/plugins/files/workspace.ts';
import { workingFolder } from '../../tools/plugins/working-folder.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { Working } from '../../workspaces/workspaces.ts';
import { authorOf } from '../authors.ts';
import type { FileToolDeps } from './artifact-files-plugin.ts';
import { artifactTool, nameOf } from './artifact-tool.ts';
import { FileName } from './file-reading-tools.ts';
import { told } from './file-writing-tools.ts';
import { findOne } from './find.ts';

/** Files of any kind, between what is kept and the folder that the agent works in. */
export function fileWorkspaceTools(deps: FileToolDeps): Tool[] {
  return [keepFile(deps), replaceFile(deps), copyFile(deps)];
}

const Place = z.string().min(1).max(1000).describe('Path in the workspace');

function keepFile(deps: FileToolDeps): Tool {
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_keep',
      description: 'Keep a file of the workspace for the user, who sees it with your answer. Any kind of file.',
      input: z.strictObject({ path: Place, name: ArtifactName.optional().describe('Default: its name there') }),
      capabilities: ['artifact-files.append', 'files.read'],
      risk: 'write',
      workingFolder: (working) => workingFolder(deps.workspaces, working),
      operation: 'keep',
    },
    async ({ path, name = lastName(path) }, context) => {
      const fileId = await storeFrom(deps, context, path, name);
      const by = authorOf(context);
      const file = await deps.artifacts.files.create(context.owner, by, { name, fileId, tags: [] });
      return told(deps, context, file, 'Kept');
    },
  );
}

function replaceFile(deps: FileToolDeps): Tool {
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_replace',
      description: 'Give a kept file the contents of a file of the workspace, as a new version.',
      input: z.strictObject({ file: FileName, path: Place }),
      capabilities: ['artifact-files.write', 'files.read'],
      risk: 'write',
      workingFolder: (working) => workingFolder(deps.workspaces, working),
      operation: 'replace',
    },
    async ({ file: wanted, path }, context) => {
      const { id } = await findOne(deps.artifacts, context, 'file', wanted);
      const fileId = await storeFrom(deps, context, path, lastName(path));
      const file = await deps.artifacts.files.patch(context.owner, authorOf(context), id, { fileId });
      return told(deps, context, file, 'Changed');
    },
  );
}

function copyFile(deps: FileToolDeps): Tool {
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_copy',
      description: 'Copy a kept file into the workspace. Replaces a file that is there.',
      input: z.strictObject({
        file: FileName,
        path: Place,
        version: z.int().min(1).optional().describe('As it was in this version'),
      }),
      capabilities: ['artifact-files.read', 'files.write'],
      risk: 'write',
      workingFolder: (working) => workingFolder(deps.workspaces, working),
      operation: 'copy',
    },
    async ({ file: wanted, path, version }, context) => {
      const found = await findOne(deps.artifacts, context, 'file', wanted);
      const workspace = await openWorkspace(deps, context);
      const { file, handle } = await deps.artifacts.files.open(context.owner, found.id, version);
      try {
        await workspace.replaceFile(path, await handle.readFile());
      } finally {
        await handle.close();
      }
      return `Copied ${nameOf(found)} to ${path}, ${file.bytes} bytes.`;
    },
  );
}

async function storeFrom(deps: FileToolDeps, context: ToolContext, path: string, name: string): Promise<string> {
  const handle = await (await openWorkspace(deps, context)).openFile(path);
  const about = { name, mediaType: mediaTypeOfName(name) };
  // The stream closes the handle.
  return (await deps.files.upload(context.owner, about, handle.createReadStream())).id;
}

/** What was shown when the person approved the call, if they were asked. */
async function openWorkspace({ workspaces }: FileToolDeps, context: ToolContext): Promise<Workspace> {
  const working: Working = { agentId: context.agentId, sessionId: context.sessionId };
  return new Workspace(context.approvedFolder ?? (await workingFolder(workspaces, working)));
}

function lastName(path: string): string {
  return path.split(/[/\\]/).findLast((name) => name !== '') ?? path;
}
