import { z } from 'zod';
import { AgentId, Id, Timestamp } from './names.ts';
import { TextRef } from './texts.ts';

/** What a tool's call can do at worst: look, change what Parley keeps, or act beyond it. */
export const ToolRisk = z.enum(['read', 'write', 'execute']);
export type ToolRisk = z.infer<typeof ToolRisk>;

/**
 * Where a tool comes from: `built-in` and `plugin` name the plugin, `mcp` the server, `agent` the agent that runs it
 * itself.
 */
export const ToolSource = z.object({ kind: z.enum(['built-in', 'plugin', 'mcp', 'agent']), id: z.string() });
export type ToolSource = z.infer<typeof ToolSource>;

export const ApprovalPolicy = z.enum(['allow', 'ask', 'deny']);
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

export const ToolInfo = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.json()).describe('JSON Schema of the input'),
  capabilities: z.array(z.string()),
  source: ToolSource,
  risk: ToolRisk,
});
export type ToolInfo = z.infer<typeof ToolInfo>;

export const ToolList = z.object({
  tools: z.array(ToolInfo).describe('By name'),
  issues: z.array(z.string()).optional().describe('Plugins and tools that were skipped, and why'),
});
export type ToolList = z.infer<typeof ToolList>;

export const ToolListQuery = z.strictObject({
  agent: AgentId.optional().describe('Only what this agent can use'),
});

/** A plugin's tools as a skill: what `SKILL.md` explains and `parley tool <plugin> <operation>` does. */
export const SkillInfo = z.object({
  id: z.string().describe('The plugin'),
  description: z.string(),
  skillPath: z.string().describe('Its SKILL.md'),
  command: z.string().describe('Its command line'),
  operations: z.array(z.string()),
});
export type SkillInfo = z.infer<typeof SkillInfo>;

export const SkillList = z.object({ skills: z.array(SkillInfo) });
export type SkillList = z.infer<typeof SkillList>;

/** The rule that decided. `pattern` is null when it was the absence of a match, or no list at all. */
export const ScopeRule = z.object({
  list: z
    .enum([
      'none',
      'system',
      'unknown',
      'toolAllowlist',
      'toolDenylist',
      'skillAllowlist',
      'skillDenylist',
      'capabilityAllowlist',
      'capabilityDenylist',
      'agentAllowlist',
      'agentDenylist',
      'uiVisible',
      'self',
      'toolExposure',
      'configuration',
      'mode',
    ])
    .describe('`none`: nothing restricts it'),
  pattern: z.string().nullable(),
  subject: z.string().describe('What was matched: the tool, a capability, a plugin or an agent'),
  of: z.string().describe('The agent the rule belongs to: the agent itself, or the one whose ceiling applies'),
});
export type ScopeRule = z.infer<typeof ScopeRule>;

export const ScopeDecision = z.object({
  allowed: z.boolean(),
  rule: ScopeRule,
  reason: z.string(),
  reasonText: TextRef.describe('For a translation of the reason'),
});
export type ScopeDecision = z.infer<typeof ScopeDecision>;

export const ExplainQuery = z.strictObject({
  agent: AgentId,
  tool: z.string().min(1).max(256).optional().describe('Can be a tool that does not exist'),
});

export const ExplainedTool = z.object({
  tool: z.string(),
  decision: ScopeDecision,
  approval: ApprovalPolicy,
  approvalRule: z.string(),
  approvalRuleText: TextRef.describe('For a translation of approvalRule'),
});
export type ExplainedTool = z.infer<typeof ExplainedTool>;

/** What an agent may do and why, and which agents it can reach that may do more. */
export const Explanation = z.object({
  agentId: AgentId,
  fullAuthority: z.boolean().describe('It can run any command on this machine'),
  tools: z.array(ExplainedTool),
  ownTools: z
    .array(ExplainedTool.extend({ risk: ToolRisk, sends: z.boolean().describe('It reaches the web') }))
    .optional()
    .describe('Only of an agent that runs tools itself: what applies to these, by risk. `*`: tools that no rule names'),
  skills: z.array(z.object({ plugin: z.string(), decision: ScopeDecision })),
  agents: z.array(z.object({ agentId: AgentId, decision: ScopeDecision })),
  reach: z.object({
    agents: z
      .array(z.object({ agentId: AgentId, via: z.array(AgentId) }))
      .describe('The agents it is reached through, nearest first'),
    tools: z
      .array(z.object({ tool: z.string(), through: z.array(AgentId) }))
      .describe('Tools that only agents it can ask can use'),
  }),
});
export type Explanation = z.infer<typeof Explanation>;

/** `waiting`: for a person, before or while it runs. `rejected`: not allowed. `interrupted`: its outcome is not known. */
export const ToolCallState = z.enum([
  'waiting',
  'running',
  'complete',
  'failed',
  'rejected',
  'denied',
  'cancelled',
  'interrupted',
]);
export type ToolCallState = z.infer<typeof ToolCallState>;

/** A question that a call asked the person, with what they answered. */
export const AnsweredQuestion = z.object({
  question: z.string(),
  declined: z.boolean(),
  text: z.string().nullable().describe('The answer to a question without fields'),
  values: z.array(z.object({ label: z.string(), value: z.json() })).describe('By field, in the order of the form'),
});
export type AnsweredQuestion = z.infer<typeof AnsweredQuestion>;

/**
 * `model`: the agent's model asked for it. `skill`: through a skill's command line. `mcp`: through the turn's MCP server.
 * `agent`: the agent ran it itself and reported it.
 */
export const CallVia = z.enum(['model', 'skill', 'mcp', 'agent']);

export const ToolCall = z.object({
  id: Id,
  sessionId: Id,
  turnId: Id,
  agentId: AgentId,
  name: z.string(),
  input: z.string().describe('Arguments as JSON text, as the model wrote them or as the user edited them'),
  state: ToolCallState,
  via: CallVia.describe('How it was called'),
  part: z.int().describe('Its index among the parts of the message'),
  step: z.int(),
  output: z.string().nullable().describe('What the agent was sent; truncated if it is long'),
  outputBytes: z.int().describe('Size of the whole output'),
  reasonText: TextRef.optional().describe('For a translation of the output, when it says why the call was not run'),
  actionId: Id.nullable().describe('The newest action about it'),
  answers: z.array(AnsweredQuestion).describe("The user's answers while it ran"),
  waitedMs: z.int().describe('How long it has waited for the user since it started'),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const ToolCallList = z.object({ calls: z.array(ToolCall).describe('In the order of the calls') });
export type ToolCallList = z.infer<typeof ToolCallList>;

/** By a person, or by a program that holds the token of a running turn: then that turn's agent is the caller. */
export const RunTool = z.strictObject({
  plugin: z.string().min(1).max(128).optional().describe('With `operation`: a tool as a skill names it'),
  operation: z.string().min(1).max(128).optional(),
  tool: z.string().min(1).max(256).optional(),
  input: z.record(z.string(), z.json()).default({}),
});
export type RunTool = z.input<typeof RunTool>;

export const ToolRun = z.object({
  tool: z.string(),
  output: z.string(),
  isError: z.boolean(),
  callId: Id.nullable(),
});
export type ToolRun = z.infer<typeof ToolRun>;

/** A standing approval. */
export const Grant = z.object({
  id: Id,
  agentId: AgentId,
  tool: z.string(),
  sessionId: Id.nullable().describe('Null: in every session'),
  createdAt: Timestamp,
});
export type Grant = z.infer<typeof Grant>;
export const GrantList = z.object({ grants: z.array(Grant) });
export type GrantList = z.infer<typeof GrantList>;

/** An MCP server as it stands. Its tools are usable only as they were when they were accepted. */
export const McpServerInfo = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http']),
  target: z.string().describe('The command with its arguments, or the URL'),
  state: z.enum(['idle', 'starting', 'ready', 'failed', 'stopped']),
  error: z.string().nullable(),
  restarts: z.int(),
  tools: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['accepted', 'changed', 'new', 'gone']).describe('Only accepted ones can be used'),
      description: z.string(),
      before: z.string().nullable().describe('The description that was accepted, when it has changed'),
    }),
  ),
  definitionsHash: z.string().nullable().describe('Hash of what the server offers now; accept exactly this'),
  checkedAt: Timestamp.nullable(),
});
export type McpServerInfo = z.infer<typeof McpServerInfo>;
export const McpServerList = z.object({ servers: z.array(McpServerInfo) });
export type McpServerList = z.infer<typeof McpServerList>;

export const AcceptDefinitions = z.strictObject({ hash: z.string().min(1).max(128) });
