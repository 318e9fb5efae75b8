import { z } from 'zod';
import { ChatSettings } from '../../../../contract/agent-settings.ts';
import { AgentDefinition } from '../../../../contract/agents.ts';

/**
 * What of a definition can be drafted in a conversation. What opens an agent to the outside, hides it, or lets it act
 * without asking is left to the person.
 */
export function draftSchema() {
  const { shape } = AgentDefinition;
  return z.strictObject({
    agentId: shape.agentId.describe('Lower case with hyphens, for example travel-planner or team/travel-planner'),
    displayName: z.string().min(1).max(200),
    description: z.string().min(1).max(2000).describe('One sentence that helps users and other agents choose it'),
    extends: shape.extends,
    parentAgentId: shape.parentAgentId,
    chat: chatSchema(),
    systemPrompt: shape.systemPrompt.describe('Its role, what it does and how, and what it must not do'),
    toolAllowlist: shape.toolAllowlist.describe('Patterns of allowed tools. [] for none, absent for all'),
    toolDenylist: shape.toolDenylist,
    capabilityAllowlist: shape.capabilityAllowlist,
    capabilityDenylist: shape.capabilityDenylist,
    agentAllowlist: shape.agentAllowlist.describe('Patterns of agents it can ask. [] for none'),
    agentDenylist: shape.agentDenylist,
    approvals: z
      .record(z.string().min(1).max(256), z.enum(['ask', 'deny']))
      .nullish()
      .describe('Patterns of tools that need approval each time (ask) or are never used (deny)'),
    delegation: shape.delegation,
    color: shape.color,
    icon: shape.icon.describe('One emoji'),
    welcomeMessage: shape.welcomeMessage.describe('Its greeting in an empty session'),
  });
}

function chatSchema() {
  const { provider, model, baseUrl, apiKey, temperature, maxTokens, reasoningEffort } = ChatSettings.shape;
  return z
    .strictObject({ provider, model, baseUrl, apiKey, temperature, maxTokens, reasoningEffort })
    .describe('Its model: a chat value from builder_options, copied exactly');
}
