import { z } from 'zod';
import { AgentId, Id, Timestamp } from './names.ts';
import { ToolCallState } from './tools.ts';
import { Turn, Usage } from './turns.ts';

/** What became of work that one agent gave to another. */
export const DelegationState = z.enum(['started', 'complete', 'failed', 'cancelled', 'interrupted', 'refused']);
export type DelegationState = z.infer<typeof DelegationState>;

export const Delegation = z.object({
  turnId: Id.nullable().describe("The delegate's turn; null when it was refused"),
  sessionId: Id.describe('Where the delegate works'),
  parentTurnId: Id,
  parentSessionId: Id,
  from: AgentId,
  to: AgentId,
  via: z.enum(['tool', 'tag', 'background']),
  mode: z.enum(['sync', 'async']),
  callId: Id.optional().describe('The tool call that asked for it; absent when a tag did'),
  task: z.string(),
  state: DelegationState,
  reason: z.string().nullable(),
});
export type Delegation = z.infer<typeof Delegation>;

export const DelegationList = z.object({ delegations: z.array(Delegation).describe('Oldest first') });
export type DelegationList = z.infer<typeof DelegationList>;

export const NotifyMode = z.enum(['wake', 'message', 'none']);
export type NotifyMode = z.infer<typeof NotifyMode>;

/** A turn with everything that was done on its behalf. */
export interface TurnNode {
  turn: Turn;
  sessionTitle: string;
  via: 'tool' | 'tag' | 'background' | null;
  mode: 'sync' | 'async' | null;
  task: string;
  toolCalls: { id: string; name: string; state: z.infer<typeof ToolCallState>; durationMs: number | null }[];
  /** Its own and its children's. */
  usage: Usage | null;
  children: TurnNode[];
}

export const TurnNode: z.ZodType<TurnNode> = z.lazy(() =>
  z.object({
    turn: Turn,
    sessionTitle: z.string(),
    via: z.enum(['tool', 'tag', 'background']).nullable(),
    mode: z.enum(['sync', 'async']).nullable(),
    task: z.string(),
    toolCalls: z.array(z.object({ id: Id, name: z.string(), state: ToolCallState, durationMs: z.int().nullable() })),
    usage: Usage.nullable().describe("Its own and its children's"),
    children: z.array(TurnNode),
  }),
);

export const TurnTree = z.object({ root: TurnNode, asked: Id.describe('The turn that was asked for') });
export type TurnTree = z.infer<typeof TurnTree>;

/** Who will answer a message as it is written now. */
export const MentionPreview = z.strictObject({ content: z.string().min(1) });
export const Mentions = z.object({
  answering: z.array(z.object({ agentId: AgentId, guest: z.boolean() })).describe('In the order of their replies'),
  unknown: z.array(z.string()).describe('Names after @ that match no agent; they stay text'),
});
export type Mentions = z.infer<typeof Mentions>;

export const UsageQuery = z.strictObject({
  by: z
    .enum(['agent', 'session', 'model', 'day', 'delegation'])
    .default('agent')
    .describe(
      'session: delegated work counts for the session of the request; delegation: only delegated work, as "caller → delegate"',
    ),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  agent: AgentId.optional(),
  session: Id.optional(),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

export const UsageReport = z.object({
  currency: z.string().describe('Of the configured prices'),
  total: Usage.extend({ turns: z.int() }),
  rows: z.array(Usage.extend({ key: z.string(), turns: z.int() })).describe('Largest first'),
  from: Timestamp.nullable(),
  to: Timestamp.nullable(),
});
export type UsageReport = z.infer<typeof UsageReport>;
