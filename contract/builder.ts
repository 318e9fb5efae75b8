/** The agent that makes others by talking about them: an ordinary one, made from this template. */
export const BUILDER = { agentId: 'parley/builder', template: 'agent-builder' } as const;

/** Its tools. What it was last called with is the draft as it stands. */
export const BUILDER_TOOLS = { options: 'builder_options', draft: 'builder_draft', create: 'builder_create' } as const;
