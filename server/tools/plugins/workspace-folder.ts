import { mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ToolSettings } from '../../../contract/config.ts';
import { ToolFailure } from '../tool.ts';
import { WORKSPACES, workspaceProblem } from './workspace-overlap.ts';

export interface WorkspaceSettings {
  /** The data folder. */
  readonly home: string;
  readonly settings: () => Pick<ToolSettings, 'files'>;
}

/** No agent can be called this. */
const OF_PEOPLE = '_people';

/** Where an agent's files are; made when it is first needed, unless a person has chosen another place. */
export async function workspaceOf({ home, settings }: WorkspaceSettings, agentId: string | null): Promise<string> {
  const { workspaces } = settings().files;
  const chosen = agentId !== null && Object.hasOwn(workspaces, agentId) ? workspaces[agentId] : undefined;
  if (chosen !== undefined) return existing(home, path.resolve(home, chosen));
  const folder = defaultWorkspace(home, agentId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return realpath(folder);
}

/** Where an agent's files are when no setting says otherwise. */
export function defaultWorkspace(home: string, agentId: string | null): string {
  return path.join(home, WORKSPACES, safeName(agentId));
}

/** Ids have no "+", so that no two of them share a folder. */
function safeName(agentId: string | null): string {
  return agentId === null ? OF_PEOPLE : agentId.replaceAll('/', '+');
}

/** Looked at every time: a link in the path may lead elsewhere by now. */
async function existing(home: string, folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new ToolFailure('The configured workspace folder does not exist.');
  const real = await realpath(folder);
  const problem = workspaceProblem(home, real);
  if (problem) throw new ToolFailure(`The configured workspace folder ${problem}.`, 'workspace_refused');
  return real;
}
