import type { Delta, ToolProgress, TurnPartial } from '../contract/events.ts';
import type { ToolCall } from '../contract/tools.ts';
import type { Turn } from '../contract/turns.ts';

export interface SpokenPart {
  readonly part: number;
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

export interface CallPart {
  readonly part: number;
  readonly kind: 'call';
  readonly call: ToolCall;
  /** What the tool says of how far it has come; null when it says nothing, and once it is over. */
  readonly progress: { readonly text: string | null; readonly fraction: number | null } | null;
}

export type LivePart = SpokenPart | CallPart;

/** A turn that is under way: what it has said and done since its last stored message. */
export interface LiveTurn {
  readonly turnId: string;
  readonly agentId: string;
  readonly guest: boolean;
  /** In the order of their numbers, which need not be next to each other. */
  readonly parts: readonly LivePart[];
}

export function beginTurn({ id, agentId, guest }: Turn): LiveTurn {
  return { turnId: id, agentId, guest, parts: [] };
}

export function fromPartial({ turnId, agentId, guest, parts, calls }: TurnPartial): LiveTurn {
  const spoken: LiveTurn = { turnId, agentId, guest, parts };
  return calls.reduce(noteCall, spoken);
}

/**
 * Puts text where it belongs. What is there already is not said twice; text beyond a gap is left out, because what is
 * missing comes as a whole: with the next `turn.partial`, or with the stored message.
 */
export function hear(live: LiveTurn, delta: Delta): LiveTurn {
  const known = live.parts.find((part): part is SpokenPart => part.kind !== 'call' && part.part === delta.part);
  if (!known) return delta.offset === 0 ? withPart(live, toPart(delta)) : live;
  if (delta.offset > known.text.length || delta.offset + delta.text.length <= known.text.length) return live;
  return replace(live, known, { ...known, text: known.text.slice(0, delta.offset) + delta.text });
}

function toPart({ part, kind, text }: Delta): SpokenPart {
  return { part, kind, text };
}

/** A call as it stands now; it keeps what it said of its progress until it is over. */
export function noteCall(live: LiveTurn, call: ToolCall): LiveTurn {
  const known = findCall(live, call.id);
  if (!known) return withPart(live, { part: call.part, kind: 'call', call, progress: null });
  const progress = call.endedAt === null ? known.progress : null;
  return replace(live, known, { ...known, part: call.part, call, progress });
}

export function noteProgress(live: LiveTurn, { callId, text, fraction }: ToolProgress): LiveTurn {
  const known = findCall(live, callId);
  if (!known || known.call.endedAt !== null) return live;
  return replace(live, known, { ...known, progress: { text, fraction } });
}

function findCall({ parts }: LiveTurn, callId: string): CallPart | undefined {
  return parts.find((part): part is CallPart => part.kind === 'call' && part.call.id === callId);
}

/** After everything that has its number or a smaller one: parts nearly always come in their order. */
function withPart(live: LiveTurn, part: LivePart): LiveTurn {
  const before = live.parts.findLastIndex((other) => other.part <= part.part) + 1;
  return { ...live, parts: live.parts.toSpliced(before, 0, part) };
}

function replace(live: LiveTurn, known: LivePart, changed: LivePart): LiveTurn {
  return { ...live, parts: live.parts.map((part) => (part === known ? changed : part)) };
}

/** The words so far, as the stored message will have them. */
export function liveText({ parts }: LiveTurn): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
}

export function liveCalls({ parts }: LiveTurn): ToolCall[] {
  return parts.flatMap((part) => (part.kind === 'call' ? [part.call] : []));
}
