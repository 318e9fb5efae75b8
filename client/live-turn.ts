import type { Delta, TurnPartial } from '../contract/events.ts';
import type { Turn } from '../contract/turns.ts';

export interface LivePart {
  readonly part: number;
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/** A turn that is being spoken: what it has said since its last stored message. */
export interface LiveTurn {
  readonly turnId: string;
  readonly agentId: string;
  readonly guest: boolean;
  readonly parts: readonly LivePart[];
}

export function beginTurn({ id, agentId, guest }: Turn): LiveTurn {
  return { turnId: id, agentId, guest, parts: [] };
}

export function fromPartial({ turnId, agentId, guest, parts }: TurnPartial): LiveTurn {
  return { turnId, agentId, guest, parts };
}

/**
 * Puts text where it belongs. What is there already is not said twice; text beyond a gap is left out, because what is
 * missing comes as a whole: with the next `turn.partial`, or with the stored message.
 */
export function hear(live: LiveTurn, delta: Delta): LiveTurn {
  const known = live.parts.find(({ part }) => part === delta.part);
  if (!known) return delta.offset === 0 ? { ...live, parts: [...live.parts, toPart(delta)] } : live;
  if (delta.offset > known.text.length || delta.offset + delta.text.length <= known.text.length) return live;
  const grown = { ...known, text: known.text.slice(0, delta.offset) + delta.text };
  return { ...live, parts: live.parts.map((part) => (part === known ? grown : part)) };
}

function toPart({ part, kind, text }: Delta): LivePart {
  return { part, kind, text };
}

/** The words so far, as the stored message will have them. */
export function liveText({ parts }: LiveTurn): string {
  return parts.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('\n\n');
}
