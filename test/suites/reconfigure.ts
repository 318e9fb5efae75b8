import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readFrames } from '../harness/sse-frames.ts';
import { framesUntil, type Stage } from './stage.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to change in the file
type Settings = any;

/** Changes `parley.json` under the running server, as an owner with an editor would, and waits until it holds. */
export async function reconfigure(stage: Stage, change: (settings: Settings) => void): Promise<void> {
  const file = path.join(stage.parley.home, 'parley.json');
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  change(settings);
  const leave = new AbortController();
  const stream = await stage.parley.fetch('GET', '/api/events', undefined, {}, leave.signal);
  writeFileSync(file, JSON.stringify(settings, null, 2));
  await framesUntil(readFrames(stream), ({ type }) => type === 'configuration.changed');
  leave.abort();
}

/** Changes one agent in it. */
export function reconfigureAgent(stage: Stage, agentId: string, changes: object): Promise<void> {
  return reconfigure(stage, (settings) => {
    Object.assign(
      settings.agents.find((agent: { agentId: string }) => agent.agentId === agentId),
      changes,
    );
  });
}
