import { z } from 'zod';
import { AgentDefinition, AgentTemplate } from './agents.ts';

const count = z.int().positive();

/** Defaults are the limits of the product's promises; each is enforced at the limit and one past it. */
export const Limits = z.strictObject({
  bodyBytes: count.default(10_000_000),
  messageBytes: count.default(1_000_000),
  jsonDepth: count.default(64),
  turnMs: count.default(30 * 60_000),
  firstTokenMs: count.default(120_000),
  idleMs: count.default(120_000),
  modelAttempts: count.default(3),
  retryAfterMs: count.default(60_000).describe("The longest a provider's Retry-After is waited for"),
  modelEventBytes: count.default(8_000_000),
  answerBytes: count.default(10_000_000),
  queuedPerSession: count.default(20),
  runningTurns: count.default(2000).describe('Further turns stay queued, visibly'),
  waitingTurns: count.default(20_000).describe('Further messages are refused with 503'),
  streamsPerUser: count.default(50),
  streamBufferBytes: count.default(1_000_000),
  heartbeatMs: count.default(15_000),
});
export type Limits = z.infer<typeof Limits>;

export const ServerSettings = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.int().min(0).max(65535).default(4747),
  allowedHosts: z.array(z.string()).default([]).describe('Host names besides localhost under which it is reached'),
});

export const StorageSettings = z.strictObject({
  synchronous: z.enum(['full', 'normal']).default('full'),
  maxBytes: z.int().min(1_000_000).nullish().describe('The database grows no larger than this'),
});

export const StreamSettings = z.strictObject({
  keepDays: z.int().min(1).default(30).describe('How long a client may be away and still resume from its cursor'),
  coalesceMs: z.int().min(0).max(1000).default(50).describe('Deltas on the shared stream are gathered this long'),
});

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error', 'silent']);
export type LogLevel = z.infer<typeof LogLevel>;

export const LogSettings = z.strictObject({ level: LogLevel.default('info') });

/** `parley.json`. */
export const ConfigFile = z.strictObject({
  $schema: z.string().optional(),
  agents: z.array(AgentDefinition).default([]),
  templates: z.array(AgentTemplate).default([]),
  systemPrompt: z.string().optional().describe('For sessions whose speaker has none of its own'),
  server: ServerSettings.prefault({}),
  limits: Limits.prefault({}),
  storage: StorageSettings.prefault({}),
  stream: StreamSettings.prefault({}),
  log: LogSettings.prefault({}),
});
export type ConfigFile = z.infer<typeof ConfigFile>;
