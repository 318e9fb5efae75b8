import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDefinition } from '../../contract/agents.ts';
import { discoverAgents, type Fetch } from './discover.ts';
import type { Environment } from './environment.ts';
import { errorCode, MAIN_FILE, sourceOf, writeNew } from './home-files.ts';
import { builderAgent } from './templates.ts';

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

/** The agents a newcomer meets: they answer offline, without a key, and are ordinary files to change or delete. */
export const DEMO_AGENTS: readonly AgentDefinition[] = [
  {
    agentId: 'wisp/concierge',
    displayName: 'Concierge',
    description: "Your first contact: knows today's schedule and which agent to ask.",
    chat: { provider: 'demo' },
    // It hands work over in the open, in the same session, instead of asking behind the scenes.
    toolDenylist: ['agents_message'],
    systemPrompt: [
      'You are the Concierge, the first contact for the user. Be warm, brief and concrete.',
      'You know the schedule. In this demo every day is the same: a standup at 9:00, a design review at 11:00 and ' +
        'a call with the printers at 15:00; the afternoon is free from 16:00.',
      'When the calendar has to change, bring in the Scheduler; when something needs a critical look, ' +
        'bring in the Reviewer. Say which agent you asked and what it answered.',
    ].join('\n\n'),
    color: '#4f7cc9',
    icon: '🛎️',
    welcomeMessage:
      'Hello! I know what’s on today and who can help with it. ' +
      'Try “what’s on today?”, “ask the scheduler to remind me to call the printers”, or start a message with @reviewer. ' +
      'This is a demo: I answer offline, from a script.',
    starters: [
      'What’s on today?',
      'Ask the scheduler to remind me to call the printers',
      '@reviewer What would you change?',
    ],
  },
  {
    agentId: 'wisp/scheduler',
    displayName: 'Scheduler',
    description: 'Schedules, moves and protects your time.',
    parentAgentId: 'wisp/concierge',
    chat: { provider: 'demo' },
    // What it writes down is shown to the person first.
    approvals: { todo_add: 'ask' },
    systemPrompt: [
      'You are the Scheduler. You find time, move appointments and protect the ones that must not move.',
      'Before you make a change, state it in one line and name everyone it affects. ' +
        'Ask if two appointments would overlap.',
    ].join('\n\n'),
    color: '#0f9b89',
    icon: '🗓️',
    welcomeMessage:
      'Tell me what has to fit and what can move. Try “clear my afternoon” or “remind me to call the printers”. I ask before I save anything.',
    starters: ['Clear my afternoon', 'Remind me to call the printers'],
  },
  {
    agentId: 'wisp/reviewer',
    displayName: 'Reviewer',
    description: 'Reviews proposals and points out what is missing.',
    extends: 'reviewer',
    parentAgentId: 'wisp/concierge',
    chat: { provider: 'demo' },
    systemPrompt: [
      'You are the Reviewer. You read what people and other agents propose and say what is wrong or missing.',
      'Start with what matters most. Quote the sentence you mean. Suggest the smallest change that fixes it. ' +
        'If nothing is wrong, say so in one line.',
    ].join('\n\n'),
    color: '#9674bb',
    icon: '🔍',
    welcomeMessage: 'Show me a plan, a text or another agent’s answer, and I’ll tell you what I’d change.',
    starters: ['Review this plan: we launch on Friday and test on Monday'],
  },
];
