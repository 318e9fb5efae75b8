import { z } from 'zod';
import { AgentId, Id, Timestamp } from './names.ts';
import { TextRef } from './texts.ts';
import { ToolRisk, ToolSource } from './tools.ts';

export const ActionKind = z.enum(['approval', 'question', 'limit', 'failure']);
export type ActionKind = z.infer<typeof ActionKind>;

/** `withdrawn`: what it was about is over. `expired`: by the policy that the configuration names. */
export const ActionState = z.enum(['open', 'answered', 'withdrawn', 'expired']);
export type ActionState = z.infer<typeof ActionState>;

/** One thing to fill in. Without `fields`, a question is answered by one text. */
export const QuestionField = z.object({
  name: z.string().min(1).max(64),
  label: z.string().max(500).optional(),
  type: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
  options: z.array(z.string().max(500)).max(50).optional(),
  required: z.boolean().optional(),
  default: z.json().optional(),
});
export type QuestionField = z.infer<typeof QuestionField>;

export const Question = z.object({
  question: z.string().min(1).max(4000),
  fields: z.array(QuestionField).max(20).optional(),
});
export type Question = z.infer<typeof Question>;

/** Why a call asks although its risk would not: it could pass on what an agent can read, or the session is read-only. */
export const ApprovalReason = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('sends-private'),
    reader: AgentId.describe('The agent that can read private data'),
    reads: z.string().describe('How it can read it: a tool, or `<delegate>`'),
  }),
  z.object({ kind: z.literal('read-only') }),
]);
export type ApprovalReason = z.infer<typeof ApprovalReason>;

/** Exactly what runs when it is approved. */
export const ApprovalRequest = z.object({
  callId: Id.nullable().describe('null if the agent runs the tool itself'),
  tool: z.string(),
  description: z.string(),
  input: z.string().describe('The arguments as JSON text'),
  risk: ToolRisk,
  source: ToolSource,
  capabilities: z.array(z.string()),
  folder: z.string().nullable().describe('The working folder, with links resolved. The approval is valid only there'),
  reason: ApprovalReason.optional(),
  onceOnly: z.literal(true).optional().describe('Only this call can be approved: no `session`, no `always`'),
  result: z
    .string()
    .optional()
    .describe(
      'What the call does: the agent it creates, with inherited settings, as JSON text; or the change of files, as a patch',
    ),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

export const TrippedLimit = z.object({
  limit: z.string().describe('depth, fanOut, turnsPerRoot, rounds, tokensPerRoot, costPerRoot, stepsPerTurn'),
  allowed: z.number(),
  wanted: z.number(),
  currency: z.string().optional().describe('Set if the limit is an amount of money'),
});
export type TrippedLimit = z.infer<typeof TrippedLimit>;

/** Who asks, and on whose behalf: the turn the person began comes first, the asker last. */
export const ChainLink = z.object({ agentId: AgentId, turnId: Id, sessionId: Id });
export type ChainLink = z.infer<typeof ChainLink>;

export const Decision = z.enum([
  'once',
  'session',
  'always',
  'deny',
  'answer',
  'decline',
  'continue',
  'stop',
  'retry',
  'dismiss',
]);
export type Decision = z.infer<typeof Decision>;

/** approval: once, session, always, deny. question: answer, decline. limit: continue, stop. failure: retry, dismiss. */
export const AnswerAction = z.strictObject({
  decision: Decision,
  reason: z.string().max(2000).optional().describe('The reason of a denial, shown to the agent'),
  input: z.record(z.string(), z.json()).optional().describe('Approve with these arguments instead'),
  text: z.string().max(100_000).optional(),
  values: z.record(z.string(), z.json()).optional().describe('By field name'),
});
export type AnswerAction = z.infer<typeof AnswerAction>;

export const Action = z.object({
  id: Id,
  kind: ActionKind,
  state: ActionState,
  title: z.string().describe('One line that describes the action'),
  sessionId: Id,
  turnId: Id,
  agentId: AgentId.describe('The agents from the root turn to the one that asks'),
  chain: z.array(ChainLink),
  approval: ApprovalRequest.nullable(),
  question: Question.nullable(),
  limit: TrippedLimit.nullable(),
  failure: z.object({ code: z.string(), message: z.string(), text: TextRef.optional() }).nullable(),
  answer: AnswerAction.nullable(),
  createdAt: Timestamp,
  settledAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
});
export type Action = z.infer<typeof Action>;

export const ActionList = z.object({ actions: z.array(Action).describe('Oldest first') });
export type ActionList = z.infer<typeof ActionList>;

export const ActionListQuery = z.strictObject({
  state: ActionState.default('open'),
  session: Id.optional().describe('Asked in this session, or on behalf of a turn in it'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ActionListQuery = z.infer<typeof ActionListQuery>;
