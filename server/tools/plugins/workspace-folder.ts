import { mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ToolSettings } from '../../../contract/config.ts';
import { ToolFailure } from '../tool.ts';

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
  if (chosen !== undefined) return existing(path.resolve(home, chosen));
  const folder = path.join(home, 'workspaces', safeName(agentId));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return realpath(folder);
}

/** Ids have no "+", so that no two of them share a folder. */
function safeName(agentId: string | null): string {
  return agentId === null ? OF_PEOPLE : agentId.replaceAll('/', '+');
}

async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new ToolFailure('The folder that is configured as the workspace is not there.');
  return realpath(folder);
}
