import { z } from 'zod';
import { AGENT_SETTINGS } from '../../../contract/agent-settings.ts';

export const ScriptedSettings = z.strictObject({
  folder: z.string().describe('Where its program keeps what it remembers'),
  reattaches: z.boolean().nullish(),
});
export type ScriptedSettings = z.infer<typeof ScriptedSettings>;

// Has to be loaded before `contract/agents.ts`, which reads this list.
Object.assign(AGENT_SETTINGS, { scripted: ScriptedSettings });
