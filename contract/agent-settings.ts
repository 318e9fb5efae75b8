import { z } from 'zod';
import { Attachable } from './files.ts';
import { AgentId } from './names.ts';

const HTTP_URL = 'must be an http or https URL without a user name or password';

export const HttpUrl = z.string().max(2048).refine(isHttpUrl, HTTP_URL);

export const ApiKey = z
  .string()
  .min(1)
  .max(4096)
  .refine(namesVariablesWell, 'must name an environment variable as ${NAME}');

/** Models behind an API. */
export const MODEL_PROVIDERS = ['openai', 'openai-compatible', 'anthropic', 'demo'] as const;
/** Programs on the server's machine that bring their own model, memory and tools. */
export const CLI_PROVIDERS = ['claude-cli', 'codex-cli', 'pi-cli'] as const;

export const ChatProvider = z.enum([...MODEL_PROVIDERS, ...CLI_PROVIDERS]);
export type ChatProvider = z.infer<typeof ChatProvider>;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];
export type CliProvider = (typeof CLI_PROVIDERS)[number];

export const ReasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);

/** What a program may do without asking the person; `default` asks for all that changes or runs something. */
export const PermissionMode = z.enum(['default', 'acceptEdits', 'plan']);
export type PermissionMode = z.infer<typeof PermissionMode>;

const CliArgument = z.string().max(4096);

export const CliSettings = z.strictObject({
  command: z.string().min(1).max(4096).nullish().describe('The program; default: claude, codex or pi on the PATH'),
  args: z.array(CliArgument).max(100).nullish().describe('Added to the arguments that Parley gives the program'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'), ApiKey)
    .check(assertNoSecrets)
    .nullish()
    .describe('Added to its environment; values can be "${NAME}" of the server\'s environment'),
  permissionMode: PermissionMode.nullish().describe('Default: default'),
});
export type CliSettings = z.infer<typeof CliSettings>;

/** Definitions are shown to clients: a secret is written as the name of a variable of the server. */
function assertNoSecrets({ value, issues }: z.core.ParsePayload<Record<string, string>>): void {
  for (const [name, text] of Object.entries(value))
    if (/KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name) && !text.includes('${'))
      issues.push({
        code: 'custom',
        path: [name],
        input: text,
        message: 'must name an environment variable as ${NAME}',
      });
}

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
    .describe('Which attached files it can see; default: text, and images with openai and anthropic'),
  contextWindow: z.int().min(1000).nullish().describe('Context window in tokens; default 128000'),
  compactionThreshold: z
    .number()
    .gt(0)
    .lte(1)
    .nullish()
    .describe('Share of the window that triggers compaction; default 0.8'),
  cli: CliSettings.nullish().describe('Only with claude-cli, codex-cli and pi-cli'),
});
export type ChatSettings = z.infer<typeof ChatSettings>;

const AcpName = z.string().min(1).max(256);

/** A program that speaks the Agent Client Protocol on its input and output. */
export const AcpSettings = z.strictObject({
  command: z.string().min(1).max(4096).nullish().describe('The program that is started, by name or path'),
  args: z.array(z.string().max(8192)).max(100).nullish(),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'), ApiKey)
    .check(assertNoSecrets)
    .nullish()
    .describe('Variables for the program, best as "${NAME}" of the server\'s environment'),
  mode: AcpName.nullish().describe("The mode of its sessions; default: the program's own"),
  guestMode: AcpName.nullish().describe('The mode of guest turns; default: the read-only one, where it has one'),
  modes: z
    .record(AgentId, AcpName)
    .nullish()
    .describe('Agents it delegates to that are modes of its own session, with the mode of each'),
  model: AcpName.nullish(),
  configOptions: z
    .record(AcpName, z.union([z.string().max(1024), z.boolean()]))
    .nullish()
    .describe("Other options of the program's sessions, by their id"),
  authMethod: AcpName.nullish().describe('How it signs in, if it has to: the id of one of its methods'),
  ownFiles: z
    .boolean()
    .nullish()
    .describe('It reads and writes files itself instead of asking Parley to; default: false'),
});
export type AcpSettings = z.infer<typeof AcpSettings>;

/** Timers of Node end after less than 25 days. */
const MOST_SECONDS = 20 * 24 * 3600;

export const A2aVersion = z.enum(['1.0', '0.3']);
export type A2aVersion = z.infer<typeof A2aVersion>;

/** A remote agent that speaks A2A. */
export const A2aSettings = z.strictObject({
  url: HttpUrl.nullish().describe('Where the agent is; its card is read from .well-known/agent-card.json below it'),
  card: HttpUrl.nullish().describe('Where its card is, if it is somewhere else'),
  apiKey: ApiKey.nullish().describe(
    'Sent only to the host of url or card, best as "${NAME}" of an environment variable',
  ),
  apiKeyHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .nullish()
    .describe('The header that carries the key; default: Authorization, as a bearer token'),
  version: A2aVersion.nullish().describe('Use only this version of the protocol; default: what the card prefers'),
  idleSeconds: z
    .int()
    .positive()
    .max(MOST_SECONDS)
    .nullish()
    .describe('How long it can tell nothing new; default: as long as it says that it is working'),
  taskSeconds: z
    .int()
    .positive()
    .max(MOST_SECONDS)
    .nullish()
    .describe('How long a task can take; default: 604800, a week'),
  cardHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullish()
    .describe('The card that was approved. Set by approving it: parley agents card'),
});
export type A2aSettings = z.infer<typeof A2aSettings>;

/** A program elsewhere that is sent its input and answers by calling back. */
export const ExternalSettings = z.strictObject({
  inputUrl: HttpUrl.nullish().describe('Where the input is sent'),
  secret: ApiKey.nullish().describe('Signs the input, best as "${NAME}" of an environment variable'),
  callbackBaseUrl: HttpUrl.nullish().describe(
    'Where the agent reaches this server; default: server.publicUrl, or its own address',
  ),
  answerSeconds: z
    .int()
    .positive()
    .max(MOST_SECONDS)
    .nullish()
    .describe('How long it can take to answer; default: 604800, a week'),
});
export type ExternalSettings = z.infer<typeof ExternalSettings>;

/** The kinds of agents, each with what a definition may say in the field of its name. */
export const AGENT_SETTINGS = {
  chat: ChatSettings,
  a2a: A2aSettings,
  acp: AcpSettings,
  external: ExternalSettings,
};

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
