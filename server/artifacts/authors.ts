import type { Author } from '../../contract/artifacts.ts';
import type { ToolContext } from '../tools/tool.ts';

export const PERSON: Author = { kind: 'person', agentId: null, sessionId: null, turnId: null };
export const IMPORT: Author = { kind: 'import', agentId: null, sessionId: null, turnId: null };

/** The agent in whose turn a tool is called, or the person who calls it. */
export function authorOf({
  agentId,
  sessionId,
  turnId,
}: Pick<ToolContext, 'agentId' | 'sessionId' | 'turnId'>): Author {
  return agentId === null ? PERSON : { kind: 'agent', agentId, sessionId, turnId };
}
