import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { builderAgent } from './builder-template.ts';
import { DEMO_AGENTS } from './demo-agents.ts';
import { discoverAgents, type Fetch } from './discover.ts';
import type { Environment } from './environment.ts';
import { errorCode, MAIN_FILE, sourceOf } from './home-files.ts';
import { writeNew } from './write-file.ts';

/** Makes the data folder, for its owner alone. */
export async function prepareHome(home: string): Promise<void> {
  // Not the folders above it: those of a mistyped path would be created one by one.
  if (!(await isFolder(home))) await mkdir(home, { mode: 0o700 });
  if (((await stat(home)).mode & 0o077) !== 0) await chmod(home, 0o700);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Fills an empty data folder: demo agents, whatever the environment offers, and one that makes others. Does nothing
 * where `parley.json` is. That file comes last, so that a first start that was cut off is simply begun again. Returns
 * the agents it wrote.
 */
export async function firstStart(home: string, env: Environment, probe: Fetch): Promise<string[]> {
  if (await exists(join(home, MAIN_FILE))) return [];
  const written: string[] = [];
  const found = await discoverAgents(env, probe);
  const [{ chat } = { chat: undefined }] = found;
  const builder = builderAgent(chat ?? { provider: 'demo' });
  for (const agent of [...DEMO_AGENTS, ...found, builder]) {
    if (await writeNew(home, sourceOf(agent.agentId), fileText(agent))) written.push(agent.agentId);
  }
  await writeNew(home, MAIN_FILE, `${JSON.stringify({ agents: [], templates: [] }, null, 2)}\n`);
  return written;
}

/** The path of the file is the agent's id, so the file leaves it out. */
function fileText({ agentId: _, ...fields }: AgentDefinition): string {
  return `${JSON.stringify(fields, null, 2)}\n`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
