import type { AgentType } from '../../contract/agents.ts';
import type { AgentKind } from './agent.ts';
import { chatKind } from './chat/kind.ts';

/** Every kind of agent there is. */
export const AGENT_KINDS: Readonly<Record<AgentType, AgentKind>> = { chat: chatKind };
