import type { AgentDefinition, AgentType, AgentWorkspace } from '../../contract/agents.ts';
import type { Attachable } from '../../contract/files.ts';
import type { TextRef } from '../../contract/texts.ts';
import type { ApprovalPolicy } from '../../contract/tools.ts';

/** An agent as it works: inheritance applied, defaults filled in, variables read. Frozen, and safe to log. */
export interface ResolvedAgent<Settings = unknown> {
  readonly agentId: string;
  readonly displayName: string;
  readonly description: string;
  /** One of `agents/kinds.ts`. */
  readonly kind: string;
  readonly type: AgentType;
  /** Of its kind, which alone reads them. */
  readonly settings: Settings;
  readonly provider: string;
  /** Empty where the agent does not say, or is unavailable because none is named. */
  readonly model: string;
  /** What it is shown of attached files besides their names. */
  readonly attachments: readonly Attachable[];
  /** Whether messages can reach a turn that runs. */
  readonly steers: boolean;
  readonly parentAgentId: string | null;
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
  readonly workspace: AgentWorkspace | null;
  readonly toolExposure: 'tools' | 'skills' | 'mixed';
  readonly uiVisible: boolean;
  readonly apiExposed: boolean;
  readonly color: string | null;
  readonly icon: string | null;
  readonly welcomeMessage: string | null;
  readonly starters: readonly string[];
  /** What to set before the agent can answer; `null` when it can. */
  readonly unavailableReason: string | null;
  /** For a translation of `unavailableReason`; null when it has none. */
  readonly unavailableText: TextRef | null;
  /** Why the definition in its file is not the one in force; `null` when it is. */
  readonly problem: string | null;
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
