import { z } from 'zod';
import { AGENT_SETTINGS } from './agent-settings.ts';
import { Attachable } from './files.ts';
import { AgentId } from './names.ts';
import { TextRef } from './texts.ts';
import { ApprovalPolicy } from './tools.ts';

/** `null` clears what an agent would inherit; for lists it means "no restriction", like absence. */
const Globs = z.array(z.string().min(1).max(256)).nullish();

/** How an agent gives work to others. */
export const DelegationSettings = z.strictObject({
  tags: z
    .boolean()
    .nullish()
    .describe('Whether <delegate> tags in its answers are followed; default: when it has children'),
  rounds: z.int().min(0).max(32).nullish().describe('How often it continues after its delegates have replied'),
  ceiling: z.enum(['self']).nullish().describe('self: its sub-agents can use no more than it can'),
});
export type DelegationSettings = z.infer<typeof DelegationSettings>;

/** The kinds of agents. The settings of each are in the field of its name. */
export const AgentType = z.enum(Object.keys(AGENT_SETTINGS) as (keyof typeof AGENT_SETTINGS)[]);
export type AgentType = z.infer<typeof AgentType>;

/** Where an agent works: its tools, and the programs that it is or starts. */
export const AgentWorkspace = z.strictObject({
  folder: z.string().min(1).max(4096).nullish().describe('A folder; relative to the data folder'),
  per: z
    .enum(['agent', 'session', 'worktree'])
    .nullish()
    .describe(
      'agent (default): one folder in all sessions. session: a folder of its own in each session. ' +
        'worktree: a git worktree of the folder in each session',
    ),
});
export type AgentWorkspace = z.infer<typeof AgentWorkspace>;

const agentFields = {
  displayName: z.string().min(1).max(200).nullish(),
  description: z.string().max(2000).nullish(),
  type: AgentType.nullish(),
  extends: AgentId.nullish().describe('A template or another agent whose fields this one inherits'),
  parentAgentId: AgentId.nullish().describe('Its parent agent'),
  ...kindFields(),
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
    .describe("Tool-name patterns; the first match decides. Default: by the tool's risk"),
  delegation: DelegationSettings.nullish(),
  workspace: AgentWorkspace.nullish(),
  uiVisible: z.boolean().nullish().describe('false hides the agent from built-in clients; default true'),
  apiExposed: z.boolean().nullish().describe('true offers the agent to other programs, over A2A'),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #4f46e5')
    .nullish(),
  icon: z.string().min(1).max(32).nullish(),
  welcomeMessage: z.string().max(4000).nullish(),
  starters: z
    .array(z.string().min(1).max(300))
    .max(6)
    .nullish()
    .describe('First messages offered in an empty session; default: general ones'),
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

/** How an agent's tile looks: two letters or an icon on its colour. */
export const AgentLook = z.object({
  color: z.string(),
  initials: z.string(),
  icon: z.string().nullable(),
});
export type AgentLook = z.infer<typeof AgentLook>;

/** An agent as it works: inheritance resolved, defaults filled in. */
export const Agent = z.object({
  agentId: AgentId,
  displayName: z.string(),
  description: z.string(),
  type: AgentType,
  parentAgentId: z.string().nullable(),
  provider: z.string(),
  model: z.string(),
  uiVisible: z.boolean(),
  color: z.string().describe('The configured colour, or one that few other agents have'),
  icon: z.string().nullable(),
  initials: z.string().describe('One or two letters of its name, different from the other agents where possible'),
  welcomeMessage: z.string().nullable(),
  starters: z.array(z.string()).describe('First messages offered in an empty session'),
  available: z.boolean().describe('false if something it needs, such as a key, is missing'),
  unavailableReason: z.string().nullable(),
  unavailableText: TextRef.optional().describe('For a translation of unavailableReason'),
  fullAuthority: z.boolean().describe('It can run any command on this machine'),
  attachments: z.array(Attachable).describe('Which attached files it can see besides their names'),
  steers: z
    .boolean()
    .describe('Whether a message can be added to its reply while it works; some programs refuse all the same'),
});
export type Agent = z.infer<typeof Agent>;

export const AgentWarning = z.object({ message: z.string(), text: TextRef.describe('For a translation') });
export type AgentWarning = z.infer<typeof AgentWarning>;

export const AgentDetail = Agent.extend({
  version: z.string().describe('Send it back as If-Match with a change'),
  source: z.string().describe('The file that defines it, relative to the data folder'),
  definition: AgentDefinition.describe('As written'),
  resolved: AgentDefinition.describe('With inheritance applied; a key appears only as its ${NAME}'),
  warnings: z.array(AgentWarning).describe('Settings that have no effect, and errors in its file'),
});
export type AgentDetail = z.infer<typeof AgentDetail>;

export const AgentList = z.object({ agents: z.array(Agent), configuration: z.lazy(() => ConfigurationState) });
export type AgentList = z.infer<typeof AgentList>;

/** Whether what is on disk is what is in force. */
export const ConfigurationState = z.object({
  valid: z.boolean().describe('false when a file has errors'),
  issues: z
    .array(z.string())
    .describe(
      'Errors in the files, whose agents are unavailable or as they were before; names that are not allowed; ' +
        'and plugins that were left out',
    ),
  loadedAt: z.string(),
});
export type ConfigurationState = z.infer<typeof ConfigurationState>;

/** What the server is set up for. */
export const ServerConfiguration = ConfigurationState.extend({
  version: z.string().describe('Of the server'),
  features: z.object({ transcription: z.boolean().describe('Whether speech can be transcribed') }),
});
export type ServerConfiguration = z.infer<typeof ServerConfiguration>;

/** What an agent remembered that is deleted now. */
export const KeptMemory = z.object({
  holder: z.string().describe('The name under which it is kept'),
  agentId: z.string().describe('The agent it belonged to'),
  count: z.int().describe('How many entries'),
});
export type KeptMemory = z.infer<typeof KeptMemory>;

export const KeptMemoryList = z.object({ memories: z.array(KeptMemory) });
export type KeptMemoryList = z.infer<typeof KeptMemoryList>;

export const RestoreMemory = z.strictObject({
  holder: z.string().max(200).describe('The name under which the memory is kept'),
  agentId: AgentId.describe('The agent that gets it'),
});
export type RestoreMemory = z.infer<typeof RestoreMemory>;

export const RestoredMemory = z.object({ restored: z.int().describe('How many entries') });
export type RestoredMemory = z.infer<typeof RestoredMemory>;

/** What a remote agent says of itself. It answers only once its owner has approved that. */
export const RemoteCard = z.object({
  card: z.json().describe('As its server sends it'),
  hash: z.string().describe('Changes whenever the card does'),
  approved: z.boolean().describe('Whether this is the card that was approved'),
  approvedCard: z
    .json()
    .nullable()
    .describe('The card that was approved, to compare; null if none was, or it is not known'),
});
export type RemoteCard = z.infer<typeof RemoteCard>;

export const ApproveCard = z.strictObject({ hash: z.string().max(64).describe('Of the card that was reviewed') });
export type ApproveCard = z.infer<typeof ApproveCard>;

/** Definitions are tried before they are saved: the agent as it would be with these changes. */
export const TestConnection = z.strictObject({
  agentId: AgentId.describe('An agent, whose definition is changed for the test only, or the name of a new one'),
  changes: z.lazy(() => AgentPatch).describe('Fields as they would be saved'),
});
export type TestConnection = z.infer<typeof TestConnection>;

export const ConnectionCheck = z.object({
  state: z.enum(['ok', 'warning', 'problem']),
  message: z.string(),
  text: TextRef.describe('For a translation'),
});
export type ConnectionCheck = z.infer<typeof ConnectionCheck>;

/** What was looked at, in this order. Nothing is sent to a model, and no program is started that was not confirmed. */
export const ConnectionTest = z.object({
  works: z.boolean().describe('false if there is a problem'),
  checks: z.array(ConnectionCheck),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;

export const TemplateList = z.object({ templates: z.array(AgentTemplate) });
export type TemplateList = z.infer<typeof TemplateList>;

/** A program that was found on this machine. */
export const DiscoveredProgram = z.object({
  agentId: AgentId.describe('The agent that it makes possible'),
  title: z.string(),
  file: z.string().describe('The file that is started'),
  commandLine: z.string().describe('What is confirmed before the agent is created'),
  version: z.string().nullable().describe('null if it does not say'),
  signIn: z.enum(['yes', 'no', 'unknown']).describe('Whether it has a key or credentials'),
  advice: z.string().nullable().describe('What to do before it can answer'),
  adviceText: TextRef.optional().describe('For a translation of the advice'),
});
export type DiscoveredProgram = z.infer<typeof DiscoveredProgram>;

export const DiscoveredAgents = z.object({
  agents: z.array(AgentDefinition).describe('Detected on this machine, not configured yet'),
  programs: z.array(DiscoveredProgram).describe('Those of them that run a program'),
});
export type DiscoveredAgents = z.infer<typeof DiscoveredAgents>;

/** The settings of each kind of agent, in the field of its name. */
function kindFields() {
  const fields = Object.entries(AGENT_SETTINGS).map(([kind, settings]) => [kind, settings.nullish()]);
  return Object.fromEntries(fields) as {
    [Kind in AgentType]: z.ZodOptional<z.ZodNullable<(typeof AGENT_SETTINGS)[Kind]>>;
  };
}
