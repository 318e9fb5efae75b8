import type { SessionState } from '../../../client/session-state.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn, Usage } from '../../../contract/turns.ts';

export interface ContextUse {
  readonly turnId: string;
  readonly agentId: string;
  /** What its last request is reckoned to have held. */
  readonly tokens: number;
  readonly usage: Usage;
}

type Known = Pick<SessionState, 'turns' | 'messages'>;

/** How much the primary had to read last time, from what its newest settled turn used. Null before there is one. */
export function contextUse({ turns, messages }: Known, primary: string | null): ContextUse | null {
  const settled = [...turns.values()].filter((turn) => isMeasure(turn, primary));
  const newest = settled.reduce<Turn | null>((a, b) => (a && a.endedAt! >= b.endedAt! ? a : b), null);
  if (!newest?.usage) return null;
  const steps = stepsOf([...messages.values()].filter(({ turnId }) => turnId === newest.id));
  const tokens = Math.round(newest.usage.inputTokens / steps);
  return { turnId: newest.id, agentId: newest.agentId, tokens, usage: newest.usage };
}

function isMeasure({ agentId, guest, parentTurnId, endedAt, usage }: Turn, primary: string | null): boolean {
  return agentId === primary && !guest && parentTurnId === null && endedAt !== null && usage !== null;
}

/**
 * A turn counts the tokens of all its requests together. One request was made for each message, and one more after each
 * set of tool results, so that the share of one is about what the context holds.
 */
export function stepsOf(messages: readonly Message[]): number {
  const said = messages.filter(({ role }) => role === 'assistant');
  const steps = said.map(({ parts }) => {
    const ends = parts.filter((part, at) => part.type === 'tool_result' && parts[at + 1]?.type !== 'tool_result');
    const goesOn = parts.at(-1)?.type !== 'tool_result';
    return Math.max(1, ends.length + (goesOn ? 1 : 0));
  });
  return Math.max(
    1,
    steps.reduce((a, b) => a + b, 0),
  );
}
