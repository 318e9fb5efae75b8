import type { AgentPatch } from '../../contract/agents.ts';
import { a2aKind } from './a2a/kind.ts';
import { acpKind } from './acp/kind.ts';
import type { AgentKind } from './agent.ts';
import { chatKind } from './chat/kind.ts';
import { cliKind } from './cli/kind.ts';
import { externalKind } from './external/kind.ts';

/** Every kind of agent there is. Of kinds that share a `type`, the first that takes a definition has it. */
export const AGENT_KINDS: AgentKind[] = [cliKind, chatKind, a2aKind, acpKind, externalKind];

export function kindOf(fields: AgentPatch): AgentKind {
  const type = fields.type ?? 'chat';
  return AGENT_KINDS.find((kind) => kind.type === type && (kind.takes?.(fields[type] ?? {}) ?? true))!;
}

export function kindNamed(name: string): AgentKind {
  return AGENT_KINDS.find(({ kind }) => kind === name)!;
}
