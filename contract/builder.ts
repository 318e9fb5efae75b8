/** The agent that makes others by talking about them: an ordinary one, made from this template. */
export const BUILDER = { agentId: 'parley/builder', template: 'agent-builder' } as const;

/** Its tools. What it was last called with is the draft as it stands. */
export const BUILDER_TOOLS = { options: 'builder_options', draft: 'builder_draft', create: 'builder_create' } as const;

/** What the server says of a draft, as if it were made now. */
export interface Judgement {
  /** Why it could not be made. */
  readonly issues: readonly string[];
  /** What is worth knowing of it all the same. */
  readonly notes: readonly string[];
  /** Names of tools, those a person must agree to apart. */
  readonly mayUse: readonly string[];
  readonly mayAskToUse: readonly string[];
}
