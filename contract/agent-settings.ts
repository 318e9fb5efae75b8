import { z } from 'zod';
import { Attachable } from './files.ts';

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
    .describe('Which attached files it can see; default: text, and images with openai and anthropic'),
  contextWindow: z.int().min(1000).nullish().describe('Context window in tokens; default 128000'),
  compactionThreshold: z
    .number()
    .gt(0)
    .lte(1)
    .nullish()
    .describe('Share of the window that triggers compaction; default 0.8'),
});
export type ChatSettings = z.infer<typeof ChatSettings>;

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
  idleSeconds: z.int().positive().nullish().describe('How long it can work without a sign; default limits.idleMs'),
  cardHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullish()
    .describe('The card that was approved. Set by approving it: parley agents card'),
});
export type A2aSettings = z.infer<typeof A2aSettings>;

/** The kinds of agents, each with what a definition may say in the field of its name. */
export const AGENT_SETTINGS = { chat: ChatSettings, a2a: A2aSettings };

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
