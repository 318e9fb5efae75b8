import { z } from 'zod';
import { Message } from './messages.ts';
import { AgentId, Id, Sender, Timestamp } from './names.ts';
import { type Text, TextRef } from './texts.ts';

export const TurnState = z.enum(['queued', 'running', 'waiting', 'complete', 'failed', 'cancelled', 'interrupted']);
export type TurnState = z.infer<typeof TurnState>;

export const SETTLED_STATES = ['complete', 'failed', 'cancelled', 'interrupted'] as const satisfies TurnState[];

export const TurnError = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  text: TextRef.optional().describe('For a translation of the message'),
});
export type TurnError = z.infer<typeof TurnError>;

export function toTurnError(code: string, { key, values, message }: Text, retryable: boolean): TurnError {
  return { code, message, retryable, text: { key, values } };
}

export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cachedInputTokens: z.int().optional(),
  reasoningTokens: z.int().optional(),
  model: z.string().optional(),
  cost: z.number().optional().describe('By the configured prices, if the model has one'),
});
export type Usage = z.infer<typeof Usage>;

export const Turn = z.object({
  id: Id,
  sessionId: Id,
  agentId: AgentId,
  guest: z.boolean(),
  state: TurnState,
  messageId: Id.describe('The input it answers'),
  answerId: Id.nullable().describe('The reply, if there is one'),
  parentTurnId: Id.nullable().describe('The turn it works for'),
  rootTurnId: Id.nullable().describe('The turn the user started; null if that is this turn'),
  retryOf: Id.nullable().describe('The turn this one retries'),
  steeredInto: Id.nullable().describe('The running turn that took this message as steering'),
  stopReason: z.string().nullable(),
  error: TurnError.nullable(),
  usage: Usage.nullable(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
  waitedMs: z.int().describe('How long it has waited for the user; part of the time between start and end'),
});
export type Turn = z.infer<typeof Turn>;

/** What happens when the session is busy. */
export const WhenBusy = z.enum(['queue', 'interrupt', 'reject', 'steer']);
export type WhenBusy = z.infer<typeof WhenBusy>;

const Files = z
  .array(Id)
  .max(100)
  .refine((ids) => new Set(ids).size === ids.length, { error: 'must not name a file twice' });

/** Words, or files that speak for themselves. */
function assertSaysSomething({ value, issues }: z.core.ParsePayload<{ content: string; files?: string[] }>): void {
  if (value.content.trim() !== '' || (value.files?.length ?? 0) > 0) return;
  issues.push({ code: 'too_small', origin: 'string', minimum: 1, inclusive: true, path: ['content'], input: value });
}

/** Text with at least one character that is not white space. */
export const NonBlank = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    if (value !== '' && value.trim() === '')
      issues.push({ code: 'too_small', origin: 'string', minimum: 1, inclusive: true, input: value });
  });

export const SendMessage = z
  .strictObject({
    id: Id.optional().describe('Made by the client: the same id and content give the same receipt'),
    content: z.string().describe('Can be empty if there are files'),
    files: Files.optional().describe('Uploaded before; at most limits.filesPerMessage'),
    agent: AgentId.optional().describe('Replies, and becomes the primary'),
    guest: AgentId.optional().describe('Replies once; the primary stays'),
    busy: WhenBusy.default('queue'),
  })
  .check(assertSaysSomething)
  .refine((message) => !(message.agent && message.guest), {
    error: 'must be left out when an agent is named',
    path: ['guest'],
  });
export type SendMessage = z.infer<typeof SendMessage>;
export type SendMessageInput = z.input<typeof SendMessage>;

export const SendQuery = z.strictObject({
  wait: z.coerce
    .number()
    .min(0)
    .max(1800)
    .optional()
    .describe('Respond when the turn has settled, or after this many seconds'),
});

export const Receipt = z.object({
  turn: Turn.describe('The first one if several agents were named'),
  turns: z.array(Turn).describe('One for each agent that replies, in order'),
  message: Message,
  answer: Message.nullable().describe('With ?wait=: the reply'),
  duplicate: z.boolean().describe('This message had been accepted before'),
});
export type Receipt = z.infer<typeof Receipt>;

export const QueueEdit = z.strictObject({
  content: NonBlank.optional(),
  position: z.int().min(0).optional().describe('0 is next'),
});
export type QueueEdit = z.infer<typeof QueueEdit>;

export const Cancelled = z.object({ cancelled: z.array(Id).describe('The turns that were stopped') });
export type Cancelled = z.infer<typeof Cancelled>;

export const Revision = z
  .strictObject({
    id: Id.optional(),
    content: z.string(),
    files: Files.optional().describe('Default: those of the message that is edited'),
    agent: AgentId.optional(),
  })
  .refine(({ content, files }) => content.trim() !== '' || files?.length !== 0, { error: 'needs words or files' });
export type Revision = z.infer<typeof Revision>;

export const Retry = z.strictObject({ agent: AgentId.optional().describe('Use another agent') });

/** The request that was built for a turn, one per step. */
export const SeenStep = z.object({
  step: z.int(),
  at: Timestamp,
  system: z.string(),
  messages: z.array(z.object({ role: z.string(), text: z.string() })),
  tools: z.array(z.string()),
  model: z.string(),
  estimatedTokens: z.int(),
});
export const Seen = z.object({ turnId: Id, agentId: AgentId, guest: z.boolean(), steps: z.array(SeenStep) });
export type Seen = z.infer<typeof Seen>;

/** A conversation that is addressed by agent and sender. */
export const StreamMsg = z.strictObject({
  agent: AgentId,
  sender: Sender.default('user'),
  guest: AgentId.or(z.literal('')).optional(),
  content: NonBlank,
});
export type StreamMsg = z.input<typeof StreamMsg>;

export const KillMsg = z.strictObject({ agent: AgentId, sender: Sender.default('user') });
export type KillMsg = z.input<typeof KillMsg>;

export const QueueList = z.object({
  queue: z.array(z.object({ turn: Turn, message: Message })).describe('Next first'),
});
export type QueueList = z.infer<typeof QueueList>;

export const TurnList = z.object({
  turns: z.array(Turn).describe('Newest first'),
  next: z.string().nullable().describe('Pass as ?cursor= for the next page, with older ones'),
});
export type TurnList = z.infer<typeof TurnList>;

export const TurnListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().optional(),
});
export type TurnListQuery = z.infer<typeof TurnListQuery>;

export const TurnDetail = z.object({ turn: Turn, answer: Message.nullable() });
export type TurnDetail = z.infer<typeof TurnDetail>;
