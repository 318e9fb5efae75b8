import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';

export function turnResult({ turn: { id, sessionId, agentId, state, error }, answer }: TurnAnswer): CallToolResult {
  const facts = { turn: id, session: sessionId, agent: agentId, state, answer: answer?.text ?? null };
  const failed = state === 'failed' || state === 'cancelled' || state === 'interrupted';
  return { ...result({ ...facts, ...(error && { error: error.message }) }), isError: failed };
}

interface TurnAnswer {
  turn: Turn;
  answer: Message | null;
}

/** As text for every client, and as data for those that read it. */
export function result(facts: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(facts, null, 2) }], structuredContent: facts };
}
