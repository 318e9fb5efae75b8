import { z } from 'zod';
import { AgentDefinition, AgentTemplate } from './agents.ts';
import { BUILDER } from './builder.ts';
import { EmbeddingSettings } from './embeddings.ts';
import { ApprovalPolicy } from './tools.ts';
import { VoiceSettings } from './voice.ts';

const count = z.int().positive();

/** Defaults are the limits of the product's promises; each is enforced at the limit and one past it. */
export const Limits = z.strictObject({
  bodyBytes: count.default(10_000_000),
  messageBytes: count.default(1_000_000),
  jsonDepth: count.default(64),
  fileBytes: count.default(25_000_000),
  filesPerMessage: count.default(10),
  shareBytes: count.default(10_000_000),
  turnMs: count.default(30 * 60_000),
  firstTokenMs: count.default(120_000),
  idleMs: count.default(120_000),
  unreachableMs: count
    .default(15 * 60_000)
    .describe('How long a remote agent can be unreachable while it works on a task'),
  modelAttempts: count.default(3),
  retryAfterMs: count.default(60_000).describe("Maximum wait for a provider's or a remote agent's Retry-After"),
  modelEventBytes: count.default(8_000_000),
  answerBytes: count.default(10_000_000),
  toolMs: count.default(10 * 60_000).describe('One tool call'),
  toolOutputBytes: count.default(16_000).describe('How much of an output an agent is sent; all of it is stored'),
  toolStoredBytes: count.default(5_000_000).describe('How much of an output is stored'),
  stepsPerTurn: count.default(50).describe('Then the user is asked whether the agent should continue'),
  queuedPerSession: count.default(20),
  runningTurns: count.default(2000).describe('Further turns stay queued'),
  waitingTurns: count.default(20_000).describe('Further messages are refused with 503'),
  templatesPerUser: count.default(100).describe('Session templates'),
  teamsPerUser: count.default(100).describe('Saved teams'),
  agentsPerTeam: count.default(20).describe('Agents of one team'),
  teamTrials: count.default(20).describe('Drafts that are being tried at once; beyond that, the oldest trial ends'),
  schedulesPerUser: count.default(200).describe('Schedules'),
  knowledgeFileBytes: count.default(50_000_000).describe('One file that agents can search'),
  knowledgePages: count.default(5000).describe('Pages of one such file'),
  knowledgePassages: count.default(20_000).describe('Passages of one such file, of about a thousand characters each'),
  knowledgeSourcesPerUser: count.default(1000).describe('Files and notes that agents can search'),
  knowledgePassagesPerUser: count.default(100_000).describe('Passages of all of them'),
  knowledgeReadMs: count.default(10 * 60_000).describe('Reading one file'),
  knowledgeStallMs: count.default(2 * 60_000).describe('Reading one file without getting any further'),
  knowledgeReadsAtOnce: count
    .default(2)
    .describe('Files read at the same time; one is never a slow one while others wait'),
  knowledgeQuickReadMs: count.default(10_000).describe('A file that is being read for longer is slow'),
  knowledgeReadMemoryBytes: count.default(1_000_000_000).describe('Memory of the process that reads a file'),
  webhooksPerUser: count.default(50).describe('Outgoing webhooks, and as many incoming ones'),
  webhookPending: count.default(1000).describe('Undelivered events of one webhook; then it is disabled'),
  webhookBytes: count.default(1_000_000).describe('Body of a request to an incoming webhook'),
  webhookCallsPerMinute: count.default(60).describe('Requests that one incoming webhook takes; then 429'),
  streamsPerUser: count.default(50),
  unsentFileBytes: count.default(500_000_000).describe('Total size of unsent files'),
  keptFileBytes: count
    .default(5_000_000_000)
    .describe('Total size of the files that one user keeps, with all versions'),
  wrongCredentialsPerMinute: count.default(20).describe('Per address; then 429 for the rest of the minute'),
  idleConnections: count.default(500).describe('Beyond that, the one that has been idle longest is closed'),
  idlePrograms: count.default(8).describe('Programs of agents that are kept running between turns'),
  idleProgramMs: count.default(10 * 60_000).describe('How long a program is kept running without a turn'),
  streamBufferBytes: count.default(1_000_000),
  heartbeatMs: count.default(15_000),
});
export type Limits = z.infer<typeof Limits>;

export const ServerSettings = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.int().min(0).max(65535).default(4747),
  allowedHosts: z.array(z.string()).default([]).describe('Additional host names besides localhost'),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .refine(isOrigin, 'must be an address without a path, such as https://parley.example.com')
    .optional()
    .describe('Where others reach the server, such as the address of a reverse proxy in front of it'),
});
export type ServerSettings = z.infer<typeof ServerSettings>;

/** The origin at which others reach the server; undefined when that is not configured. */
export function publicOrigin({ publicUrl }: Pick<ServerSettings, 'publicUrl'>): string | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl).origin;
}

function isOrigin(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { href, origin } = new URL(address);
  return href === `${origin}/`;
}

export const StorageSettings = z.strictObject({
  synchronous: z.enum(['full', 'normal']).default('full'),
  maxBytes: z.int().min(1_000_000).nullish().describe('Maximum size of the database'),
  keepModelInputDays: z
    .int()
    .min(1)
    .nullable()
    .default(90)
    .describe('How long the model input of turns is kept; null: permanently'),
  keepAuditDays: z.int().min(1).nullable().default(365).describe('How long the audit log is kept; null: permanently'),
  keepTriedHours: z
    .int()
    .min(1)
    .default(24)
    .describe('After this long without activity, a session that only tries an agent or a team is deleted'),
});

export const StreamSettings = z.strictObject({
  keepDays: z.int().min(1).default(30).describe('How long a client can be away and still resume from its cursor'),
  coalesceMs: z.int().min(0).max(1000).default(50).describe('How long deltas are collected on the shared stream'),
});

const globs = z.array(z.string().min(1).max(256));
const millionths = z.number().min(0).describe('Per million tokens');

/** Started by their command, or reached by their URL. Only a file can name a command. */
export const McpServer = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}).describe('${NAME} is replaced by a variable of the server'),
    cwd: z.string().optional(),
    url: z.url({ protocol: /^https?$/ }).optional(),
    headers: z.record(z.string(), z.string()).default({}),
    agents: globs.nullish().describe('Which agents can use its tools; default: all'),
    approval: ApprovalPolicy.default('ask').describe("Unless an agent's approvals decide otherwise"),
    sampling: z.boolean().default(false).describe('Whether the server can request model replies'),
    allowPrivateNetwork: z.boolean().default(false).describe('Allow a URL on this machine or in a private network'),
    timeoutMs: count.default(60_000),
    disabled: z.boolean().default(false),
  })
  .refine((server) => (server.command === undefined) !== (server.url === undefined), {
    error: 'needs a command or a url, and not both',
  });
export type McpServer = z.infer<typeof McpServer>;

export const ToolSettings = z.strictObject({
  bash: z
    .strictObject({
      agents: globs.default([]).describe('Agents that can run any command: full authority over this machine'),
    })
    .prefault({}),
  builder: z
    .strictObject({
      agents: globs
        .default([BUILDER.agentId])
        .describe('Agents that can draft agents and create them after an approval'),
    })
    .prefault({}),
  files: z
    .strictObject({
      workspaces: z
        .record(z.string(), z.string())
        .default({})
        .describe('Folder by agent; default: one in the data folder'),
    })
    .prefault({}),
  fetch: z
    .strictObject({
      allowHosts: z.array(z.string()).default([]).describe('Private hosts that can be fetched'),
      maxBytes: count.default(2_000_000),
      timeoutMs: count.default(30_000),
    })
    .prefault({}),
  disabled: globs.default([]).describe('Disabled plugins, by id'),
});
export type ToolSettings = z.infer<typeof ToolSettings>;

export const NotificationSettings = z.strictObject({
  contact: z
    .url({ protocol: /^(mailto|https)$/, error: 'must be a mailto: or https: URL' })
    .default('mailto:parley@example.com')
    .describe('How push services can reach you about the notifications of this server'),
});

export const KnowledgeSettings = z.strictObject({
  embeddings: EmbeddingSettings.optional().describe(
    'Where passages get embeddings; default: search goes by words alone',
  ),
});
export type KnowledgeSettings = z.infer<typeof KnowledgeSettings>;
export const WebhookSettings = z.strictObject({
  timeoutMs: count.default(15_000).describe('How long a receiver has for its answer'),
  retryAfterSeconds: z
    .array(
      z
        .number()
        .min(0)
        .max(7 * 86_400),
    )
    .max(50)
    .default([5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000])
    .describe('How long to wait after each failed attempt; after the last one a delivery has failed'),
  disableAfterHours: z.number().positive().default(72).describe('A webhook that has failed for this long is disabled'),
});
export type WebhookSettings = z.infer<typeof WebhookSettings>;

export const ApprovalSettings = z.strictObject({
  read: ApprovalPolicy.default('allow'),
  write: ApprovalPolicy.default('allow'),
  execute: ApprovalPolicy.default('ask'),
  expireAfterSeconds: count.nullish().describe('When unanswered actions expire; default: never'),
});
export type ApprovalSettings = z.infer<typeof ApprovalSettings>;

/** Past any of these the person is asked. */
export const DelegationLimits = z.strictObject({
  depth: z.int().min(0).default(3),
  fanOut: count.default(8).describe('Concurrent delegates of one turn'),
  turnsPerRoot: count.default(32).describe('Turns for one request of the user'),
  rounds: z.int().min(0).default(4).describe('How often an orchestrator continues after its delegates have replied'),
  timeoutSeconds: count.default(300),
  responseBytes: count.default(10_000),
  allowCycles: z.boolean().default(false).describe('Whether an agent that is waiting for the answer can be asked'),
  tokensPerRoot: count.nullish(),
  costPerRoot: z.number().positive().nullish(),
});
export type DelegationLimits = z.infer<typeof DelegationLimits>;

export const Price = z.strictObject({
  input: millionths,
  output: millionths,
  cachedInput: millionths.optional().describe('Default: as input'),
});

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error', 'silent']);
export type LogLevel = z.infer<typeof LogLevel>;

export const LogSettings = z.strictObject({ level: LogLevel.default('info') });

/** `parley.json`. */
export const ConfigFile = z.strictObject({
  $schema: z.string().optional(),
  agents: z.array(AgentDefinition).default([]),
  templates: z.array(AgentTemplate).default([]),
  systemPrompt: z.string().optional().describe('For sessions whose agent has none of its own'),
  tools: ToolSettings.prefault({}),
  plugins: globs.default([]).describe('Folders in plugins/ of the data folder whose code is loaded'),
  mcpServers: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/), McpServer).default({}),
  approvals: ApprovalSettings.prefault({}),
  delegation: DelegationLimits.prefault({}),
  voice: VoiceSettings.prefault({}),
  knowledge: KnowledgeSettings.prefault({}),
  notifications: NotificationSettings.prefault({}),
  webhooks: WebhookSettings.prefault({}),
  prices: z.record(z.string().min(1), Price).default({}).describe('By model; patterns with *, the first match decides'),
  currency: z.string().min(1).max(8).default('USD'),
  server: ServerSettings.prefault({}),
  limits: Limits.prefault({}),
  storage: StorageSettings.prefault({}),
  stream: StreamSettings.prefault({}),
  log: LogSettings.prefault({}),
});
export type ConfigFile = z.infer<typeof ConfigFile>;
