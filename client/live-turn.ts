import type { Delta, ToolProgress, TurnPartial, TurnProgress, TurnRetry, TurnRetrying } from '../contract/events.ts';
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
  /** The newest message that the turn has stored; `parts` is what came after it. */
  readonly after: string | null;
  /** In the order of their numbers, which need not be next to each other. */
  readonly parts: readonly LivePart[];
  /** Text that arrived before the text in front of it. It is not shown until the gap is filled. */
  readonly ahead: readonly Piece[];
  /** What the agent says of its work at the moment. */
  readonly progress?: TurnPartial['progress'];
  /** The request that is about to be sent again; null once the turn goes on. */
  readonly retry: TurnRetry | null;
}

type Piece = Pick<Delta, 'part' | 'kind' | 'offset' | 'text'>;

export function beginTurn({ id, agentId, guest, answerId }: Turn): LiveTurn {
  return { turnId: id, agentId, guest, after: answerId, parts: [], ahead: [], retry: null };
}

/** Text is missing that only a `turn.partial` or the stored message can bring. */
export function hasGap({ ahead }: LiveTurn): boolean {
  return ahead.length > 0;
}

/** The turn has stored a message: what was live until then is in it. */
export function beginMessage(live: LiveTurn, messageId: string): LiveTurn {
  return isOlder(live.after, messageId) ? { ...live, after: messageId, parts: [], ahead: [], retry: null } : live;
}

/** What the turn had said when the partial was made. It may be older than what is known, so it only ever adds. */
export function takePartial(known: LiveTurn | undefined, partial: TurnPartial): LiveTurn {
  const { turnId, agentId, guest, after, parts, calls, retry = null } = partial;
  const live = since(known ?? { turnId, agentId, guest, after, parts: [], ahead: [], retry: null }, after);
  if (live.after !== after) return live;
  const { progress } = partial;
  const shown = progress ? { ...live, progress } : live;
  const spoken = parts.reduce((so, part) => hearPiece(so, { ...part, offset: 0 }), shown);
  const done = calls.reduce((so, call) => (findCall(so, call.id)?.call.endedAt ? so : noteCall(so, call)), spoken);
  return retry ? { ...done, retry } : done;
}

/**
 * Puts text where it belongs, in whatever order it arrives: text that is known already is left out, and text beyond a
 * gap waits until the gap is filled.
 */
export function hear(known: LiveTurn, delta: Delta): LiveTurn {
  const live = since(known, delta.after);
  return live.after === delta.after ? hearPiece(live, delta) : live;
}

export function noteRetry(live: LiveTurn, { code, waitMs }: TurnRetrying): LiveTurn {
  return { ...live, retry: { code, waitMs } };
}

/** Begins anew when the turn has stored another message since: its event may come later than the text after it. */
function since(live: LiveTurn, after: string | null): LiveTurn {
  return after === null ? live : beginMessage(live, after);
}

/** Ids sort by the moment they were made. */
function isOlder(after: string | null, messageId: string): boolean {
  return after === null || after < messageId;
}

function hearPiece(live: LiveTurn, piece: Piece): LiveTurn {
  const known = live.parts.find((part): part is SpokenPart => part.kind !== 'call' && part.part === piece.part);
  const length = known?.text.length ?? 0;
  if (piece.offset > length) return { ...live, ahead: withPiece(live.ahead, piece) };
  if (known && piece.offset + piece.text.length <= length) return live;
  const text = (known?.text.slice(0, piece.offset) ?? '') + piece.text;
  const going = live.retry ? { ...live, retry: null } : live;
  const said = known ? replace(going, known, { ...known, text }) : withPart(going, toPart(piece));
  return live.ahead.length === 0 ? said : closeGaps(said);
}

/** Pieces that follow each other become one: while a gap lasts, they cost no more than the text itself. */
function withPiece(ahead: readonly Piece[], { part, kind, offset, text }: Piece): readonly Piece[] {
  const last = ahead.at(-1);
  if (last?.part !== part || last.offset + last.text.length !== offset) return [...ahead, { part, kind, offset, text }];
  return ahead.with(-1, { ...last, text: last.text + text });
}

/** The text in front of some of the pieces is known now; those that still wait are kept again. */
function closeGaps(live: LiveTurn): LiveTurn {
  const waiting = live.ahead.toSorted((a, b) => a.part - b.part || a.offset - b.offset);
  return waiting.reduce(hearPiece, { ...live, ahead: [] });
}

function toPart({ part, kind, text }: Piece): SpokenPart {
  return { part, kind, text };
}

/** A call as it stands now; it keeps what it said of its progress until it is over. */
export function noteCall(live: LiveTurn, call: ToolCall): LiveTurn {
  const known = findCall(live, call.id);
  if (!known) return withPart({ ...live, retry: null }, { part: call.part, kind: 'call', call, progress: null });
  const progress = call.endedAt === null ? known.progress : null;
  return replace(live, known, { ...known, part: call.part, call, progress });
}

export function noteProgress(live: LiveTurn, { callId, text, fraction }: ToolProgress): LiveTurn {
  const known = findCall(live, callId);
  if (!known || known.call.endedAt !== null) return live;
  return replace(live, known, { ...known, progress: { text, fraction } });
}

export function noteTurnProgress(live: LiveTurn, { status, plan }: TurnProgress): LiveTurn {
  return { ...live, progress: { status, plan } };
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
