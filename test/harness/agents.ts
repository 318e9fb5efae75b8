/** A configuration whose agents are answered by the scripted provider, so that a test decides what they say. */
export function scriptedConfig(providerUrl: string, agentIds: string[], more: object = {}): object {
  return { agents: agentIds.map((agentId) => scriptedAgent(providerUrl, agentId)), ...more };
}

/** Without tools or colleagues: what a test wants of those it says. */
export function scriptedAgent(providerUrl: string, agentId: string, more: object = {}): object {
  return {
    agentId,
    displayName: agentId,
    description: `Test agent ${agentId}.`,
    systemPrompt: `You are ${agentId}.`,
    chat: { provider: 'openai-compatible', model: `model-of-${agentId}`, baseUrl: `${providerUrl}/v1` },
    toolAllowlist: [],
    agentAllowlist: [],
    ...more,
  };
}
