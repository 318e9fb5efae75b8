import { z } from 'zod';
import { defineTool } from '../tools/define-tool.ts';
import { commandOf, type Plugin } from '../tools/plugin.ts';
import { skillPathOf } from '../tools/skills.ts';
import type { Tool } from '../tools/tool.ts';
import { agentsMessage } from './agents-message.ts';
import type { DelegationDeps } from './deps.ts';

/** Two tools: list the agents, and send one of them a message. */
export function agentsPlugin(deps: DelegationDeps): Plugin {
  const tools = [agentsList(deps), agentsMessage(deps)];
  return { id: 'agents', description: 'List other agents and ask them.', tools, ...asSkill('agents') };
}

function asSkill(id: string): Pick<Plugin, 'skillPath' | 'command'> {
  return { skillPath: skillPathOf(id), command: commandOf(id) };
}

function agentsList(deps: DelegationDeps): Tool {
  return defineTool(
    {
      name: 'agents_list',
      description: 'List the agents you can ask with agents_message.',
      input: z.strictObject({}),
      capabilities: ['agents.read'],
      risk: 'read',
      source: { kind: 'built-in', id: 'agents' },
      operation: 'list',
    },
    async (_, { turnId }) => {
      const asked = turnId === null ? undefined : deps.engine.running(turnId)?.toolset?.scoped;
      const all = [...deps.everyone().values()];
      const visible = all.filter(({ agentId, uiVisible }) =>
        asked ? asked.decideAgent(agentId, uiVisible).allowed : uiVisible,
      );
      return JSON.stringify(
        visible.map(({ agentId, displayName, description }) => ({ agentId, displayName, description })),
      );
    },
  );
}
