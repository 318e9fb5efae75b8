import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Parley } from '../harness/parley.ts';
import { watch } from './following.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to change in the file
type Settings = any;

/** Changes `parley.json` under the running server, as an owner with an editor would, and waits until it holds. */
export async function reconfigure(server: { parley: Parley }, change: (settings: Settings) => void): Promise<void> {
  const file = path.join(server.parley.home, 'parley.json');
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  change(settings);
  const upto = await watch(server, '/api/events');
  writeFileSync(file, JSON.stringify(settings, null, 2));
  await upto(({ type }) => type === 'configuration.changed');
}

/** Changes one agent in it. */
export function reconfigureAgent(server: { parley: Parley }, agentId: string, changes: object): Promise<void> {
  return reconfigure(server, (settings) => {
    Object.assign(
      settings.agents.find((agent: { agentId: string }) => agent.agentId === agentId),
      changes,
    );
  });
}
