import type { AgentDefinition, ChatProvider, ChatSettings } from '../../contract/agents.ts';
import type { Attachable } from '../../contract/files.ts';
import type { ApprovalPolicy } from '../../contract/tools.ts';

/** An agent as it works: inheritance applied, defaults filled in, variables read. Frozen, and safe to log. */
export interface ResolvedAgent {
  readonly agentId: string;
  readonly displayName: string;
  readonly description: string;
  readonly type: 'chat';
  readonly parentAgentId: string | null;
  readonly chat: ResolvedChat;
  readonly systemPrompt: string | null;
  /** Of every list: `null` is no restriction, `[]` is nothing. */
  readonly toolAllowlist: readonly string[] | null;
  readonly toolDenylist: readonly string[] | null;
  readonly skillAllowlist: readonly string[] | null;
  readonly skillDenylist: readonly string[] | null;
  readonly capabilityAllowlist: readonly string[] | null;
  readonly capabilityDenylist: readonly string[] | null;
  readonly agentAllowlist: readonly string[] | null;
  readonly agentDenylist: readonly string[] | null;
  /** In the order in which they were written: the first that matches decides. */
  readonly approvals: readonly (readonly [pattern: string, policy: ApprovalPolicy])[];
  readonly delegation: ResolvedDelegation;
  readonly toolExposure: 'tools' | 'skills' | 'mixed';
  readonly uiVisible: boolean;
  readonly apiExposed: boolean;
  readonly color: string;
  readonly icon: string | null;
  readonly welcomeMessage: string | null;
  /** What to set before the agent can answer; `null` when it can. */
  readonly unavailableReason: string | null;
  /** Changes whenever the definition as written does. */
  readonly version: string;
  /** The file that defines it, relative to the data folder. */
  readonly source: string;
  /** As written, keys redacted. */
  readonly definition: AgentDefinition;
  /** With inheritance applied, keys redacted. */
  readonly resolved: AgentDefinition;
}

export interface ResolvedDelegation {
  /** Null: when it has children. */
  readonly tags: boolean | null;
  /** Null: as the server is configured. */
  readonly rounds: number | null;
  readonly ceiling: 'self' | null;
}

export interface ResolvedChat {
  readonly provider: ChatProvider;
  /** Empty only for an agent that is unavailable because none is named. */
  readonly model: string;
  readonly baseUrl: string | undefined;
  /** A function, so that no log, error or answer can carry the key by accident. */
  readonly apiKey: () => string | undefined;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly reasoningEffort: NonNullable<ChatSettings['reasoningEffort']> | undefined;
  /** What it is shown of attached files besides their names. */
  readonly attachments: readonly Attachable[];
  readonly contextWindow: number;
  readonly compactionThreshold: number;
}
