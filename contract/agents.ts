import { z } from 'zod';
import { Attachable } from './files.ts';
import { AgentId } from './names.ts';
import { ApprovalPolicy } from './tools.ts';

/** `null` clears what an agent would inherit; for lists it means "no restriction", like absence. */
const Globs = z.array(z.string().min(1).max(256)).nullish();

const HTTP_URL = 'must be an http or https URL without a user name or password';

export const HttpUrl = z.string().max(2048).refine(isHttpUrl, HTTP_URL);

export const ApiKey = z
  .string()
  .min(1)
  .max(4096)
  .refine(namesVariablesWell, 'must name an environment variable as ${NAME}');

export const ChatProvider = z.enum(['openai', 'openai-compatible', 'anthropic', 'demo']);
export type ChatProvider = z.infer<typeof ChatProvider>;

export const ReasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);

export const ChatSettings = z.strictObject({
  provider: ChatProvider.nullish().describe('Default: openai'),
  model: z.string().min(1).max(256).nullish(),
  baseUrl: HttpUrl.nullish(),
  apiKey: ApiKey.nullish().describe('The key, best as "${NAME}" of an environment variable'),
  temperature: z.number().min(0).max(2).nullish(),
  maxTokens: z.int().positive().nullish(),
  reasoningEffort: ReasoningEffort.nullish(),
  attachments: z
    .array(Attachable)
    .nullish()
    .describe('What it is shown of attached files; default: text, and images with openai and anthropic'),
  contextWindow: z.int().min(1000).nullish().describe('Tokens the model can read; default 128000'),
  compactionThreshold: z.number().gt(0).lte(1).nullish().describe('Share of the window that triggers compaction; 0.8'),
});
export type ChatSettings = z.infer<typeof ChatSettings>;

/** How an agent gives work to others. */
export const DelegationSettings = z.strictObject({
  tags: z
    .boolean()
    .nullish()
    .describe('Whether <delegate> tags in its answers are followed; default: when it has children'),
  rounds: z.int().min(0).max(32).nullish().describe('How often it goes on after its delegates have answered'),
  ceiling: z.enum(['self']).nullish().describe('self: whoever works for it may use no more than it may itself'),
});
export type DelegationSettings = z.infer<typeof DelegationSettings>;

const agentFields = {
  displayName: z.string().min(1).max(200).nullish(),
  description: z.string().max(2000).nullish(),
  type: z.enum(['chat']).nullish(),
  extends: AgentId.nullish().describe('A template or another agent whose fields this one inherits'),
  parentAgentId: AgentId.nullish().describe('Its place in the hierarchy'),
  chat: ChatSettings.nullish(),
  systemPrompt: z.string().max(200_000).nullish(),
  toolAllowlist: Globs,
  toolDenylist: Globs,
  toolExposure: z.enum(['tools', 'skills', 'mixed']).nullish(),
  skillAllowlist: Globs,
  skillDenylist: Globs,
  capabilityAllowlist: Globs,
  capabilityDenylist: Globs,
  agentAllowlist: Globs,
  agentDenylist: Globs,
  approvals: z
    .record(z.string().min(1).max(256), ApprovalPolicy)
    .nullish()
    .describe('Patterns of tool names; the first that matches decides. Default: by the risk of the tool'),
  delegation: DelegationSettings.nullish(),
  uiVisible: z.boolean().nullish().describe('false hides the agent from built-in clients; default true'),
  apiExposed: z.boolean().nullish(),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #4f46e5')
    .nullish(),
  icon: z.string().min(1).max(32).nullish(),
  welcomeMessage: z.string().max(4000).nullish(),
};

/** An agent as it is written in a file or sent to the API. */
export const AgentDefinition = z.strictObject({ agentId: AgentId, ...agentFields });
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** What an agent or another template can extend. Listed, never spoken to. */
export const AgentTemplate = z.strictObject({ templateId: AgentId, ...agentFields });
export type AgentTemplate = z.infer<typeof AgentTemplate>;

/** Changes to a definition: `null` clears a field, an absent one stays. */
export const AgentPatch = z.strictObject(agentFields);
export type AgentPatch = z.infer<typeof AgentPatch>;

/** An agent as it works: inheritance resolved, defaults filled in. */
export const Agent = z.object({
  agentId: AgentId,
  displayName: z.string(),
  description: z.string(),
  type: z.enum(['chat']),
  parentAgentId: z.string().nullable(),
  provider: ChatProvider,
  model: z.string(),
  uiVisible: z.boolean(),
  color: z.string().nullable(),
  icon: z.string().nullable(),
  welcomeMessage: z.string().nullable(),
  available: z.boolean().describe('false when something it needs, like a key, is missing'),
  unavailableReason: z.string().nullable(),
  fullAuthority: z.boolean().describe('It may run any command on this machine'),
  attachments: z.array(Attachable).describe('What it is shown of attached files besides their names'),
});
export type Agent = z.infer<typeof Agent>;

export const AgentDetail = Agent.extend({
  version: z.string().describe('Send it back as If-Match with a change'),
  source: z.string().describe('The file that defines it, relative to the data folder'),
  definition: AgentDefinition.describe('As written'),
  resolved: AgentDefinition.describe('With inheritance applied; a key appears only as its ${NAME}'),
});
export type AgentDetail = z.infer<typeof AgentDetail>;

export const AgentList = z.object({ agents: z.array(Agent), configuration: z.lazy(() => ConfigurationState) });
export type AgentList = z.infer<typeof AgentList>;

/** Whether what is on disk is what is in force. */
export const ConfigurationState = z.object({
  valid: z.boolean(),
  issues: z
    .array(z.string())
    .describe('Why the files on disk were refused; the last good configuration stays in force'),
  loadedAt: z.string(),
});
export type ConfigurationState = z.infer<typeof ConfigurationState>;

/** What the server is set up for. */
export const ServerConfiguration = ConfigurationState.extend({
  features: z.object({ transcription: z.boolean().describe('It turns speech into text') }),
});
export type ServerConfiguration = z.infer<typeof ServerConfiguration>;

export const TemplateList = z.object({ templates: z.array(AgentTemplate) });
export type TemplateList = z.infer<typeof TemplateList>;

export const DiscoveredAgents = z.object({
  agents: z.array(AgentDefinition).describe('Found on this machine, not configured yet'),
});
export type DiscoveredAgents = z.infer<typeof DiscoveredAgents>;

/** A URL that holds a variable can only be judged once the variable is known. */
function isHttpUrl(value: string): boolean {
  if (/\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(value)) return true;
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** `$NAME` and `${NAME` are slips that would otherwise be sent to a provider as if they were the key. */
function namesVariablesWell(value: string): boolean {
  return !/^\$[A-Za-z_]\w*$|\$\{(?![A-Za-z_][A-Za-z0-9_]*\})/.test(value);
}
