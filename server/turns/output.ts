import type { FilePart } from '../../contract/files.ts';
import type { DiffPart, NoticePart, Part } from '../../contract/messages.ts';
import { type Text, toTextRef } from '../../contract/texts.ts';
import type { PartialRow, ToolCallRow } from '../storage/tables.ts';
import { toCallPart, toResultPart } from './call-rows.ts';

export type SpokenKind = 'text' | 'reasoning';

/** A part that comes whole. On disk it is JSON under its `type`. */
type WholePart = FilePart | NoticePart | DiffPart;
const WHOLE: ReadonlySet<string> = new Set<WholePart['type']>(['file', 'notice', 'diff']);

interface LivePart {
  readonly kind: SpokenKind;
  /** What was taken of it; the rest is not flushed yet. Never read while it grows: joining it anew costs its length. */
  taken: string;
  length: number;
  /** Of thoughts, when the first and the newest words came; null for what was read back from the disk. */
  beganAt: number | null;
  endedAt: number;
}

type RejectedCall = Extract<Part, { type: 'tool_call' }>;

/** The results of a step stand after its calls, in the order of the calls. */
type OutputPart =
  | LivePart
  | RejectedCall
  | { readonly call: ToolCallRow }
  | { readonly resultOf: ToolCallRow }
  | { readonly whole: WholePart };

/** What a turn has said and done since its last stored message: grows by deltas, is flushed in pieces, ends as parts. */
export class TurnOutput {
  /** The newest message the turn had stored before this speech began; null when it had stored none. */
  readonly after: string | null;
  readonly #parts: OutputPart[] = [];
  #unflushed: { part: number; kind: SpokenKind | WholePart['type']; text: string }[] = [];
  #flushed = 0;
  unflushedLength = 0;
  length = 0;

  constructor(after: string | null = null) {
    this.after = after;
  }

  /** Puts what was on disk back together. */
  static restore(after: string | null, partials: readonly PartialRow[], calls: readonly ToolCallRow[]): TurnOutput {
    const output = new TurnOutput(after);
    const waiting = [...calls];
    for (const row of partials) {
      output.#restoreCalls(waiting, row.part);
      if (WHOLE.has(row.kind)) {
        output.#parts.push({ whole: JSON.parse(row.text) });
        continue;
      }
      const { part } = output.#place(row.kind as SpokenKind, row.text);
      (output.#parts[part] as LivePart).beganAt = null;
      output.#take(part, row.text);
    }
    output.#restoreCalls(waiting, Number.POSITIVE_INFINITY);
    output.#flushed = partials.length;
    return output;
  }

  /** Calls of one step have adjoining places. */
  #restoreCalls(waiting: ToolCallRow[], before: number): void {
    while (waiting[0] && waiting[0].part < before) {
      const [{ step, via }] = waiting as [ToolCallRow];
      const size = waiting.findIndex((call) => call.step !== step || call.via !== via);
      this.addCalls(waiting.splice(0, via !== 'model' ? 1 : size < 0 ? waiting.length : size));
    }
  }

  /** Where the text goes: the number of its part and the offset in it. */
  add(kind: SpokenKind, text: string): { part: number; offset: number } {
    const place = this.#place(kind, text);
    this.#remember(place.part, kind, text);
    return place;
  }

  #place(kind: SpokenKind, text: string): { part: number; offset: number } {
    const last = this.#parts.at(-1);
    const current = last && 'kind' in last && last.kind === kind ? last : this.#begin(kind);
    const place = { part: this.#parts.length - 1, offset: current.length };
    current.length += text.length;
    if (kind === 'reasoning') current.endedAt = performance.now();
    this.length += text.length;
    return place;
  }

  addRejectedCall(call: Omit<RejectedCall, 'type' | 'state'>): void {
    this.#parts.push({ type: 'tool_call', state: 'rejected', ...call });
  }

  /** A file that the agent has made; its contents are stored already. */
  addFile(file: FilePart): void {
    this.#addWhole(file);
  }

  addNotice(text: Text): void {
    this.#addWhole({ type: 'notice', text: text.message, textRef: toTextRef(text) });
  }

  addDiff(diff: DiffPart): void {
    this.#addWhole(diff);
  }

  #addWhole(whole: WholePart): void {
    this.#parts.push({ whole });
    this.#remember(this.#parts.length - 1, whole.type, JSON.stringify(whole));
  }

  /** Where the next calls go. */
  get nextPart(): number {
    return this.#parts.length;
  }

  /** The rows are read again whenever the speech is: a call that ends here ends in what is said. */
  addCalls(calls: readonly ToolCallRow[]): void {
    for (const call of calls) this.#parts.push({ call });
    for (const call of calls) this.#parts.push({ resultOf: call });
  }

  /** What was said in this step. */
  wordsSinceCalls(): string {
    const from = this.#parts.findLastIndex((part) => 'resultOf' in part) + 1;
    return this.#parts
      .map((part, index) => (index >= from && 'kind' in part && part.kind === 'text' ? this.#wordsOf(part, index) : ''))
      .join('');
  }

  get calls(): ToolCallRow[] {
    return this.#parts.flatMap((part) => ('call' in part ? [part.call] : []));
  }

  #begin(kind: SpokenKind): LivePart {
    const now = kind === 'reasoning' ? performance.now() : 0;
    const part: LivePart = { kind, taken: '', length: 0, beganAt: now, endedAt: now };
    this.#parts.push(part);
    return part;
  }

  #remember(part: number, kind: SpokenKind | WholePart['type'], text: string): void {
    const last = this.#unflushed.at(-1);
    if (last?.part === part) last.text += text;
    else this.#unflushed.push({ part, kind, text });
    this.unflushedLength += text.length;
  }

  /** The pieces that are not on disk yet; the caller puts them there. Half a character waits for its other half. */
  takeUnflushed(turnId: string): PartialRow[] {
    const last = this.#unflushed.at(-1);
    const half = last && endsInHalf(last.text) ? last.text.slice(-1) : '';
    if (last && half) last.text = last.text.slice(0, -1);
    const rows = this.#unflushed.map((piece) => ({ turn_id: turnId, ord: this.#flushed++, ...piece }));
    this.#unflushed = last && half ? [{ ...last, text: half }] : [];
    this.unflushedLength = half.length;
    for (const { part, text } of rows) this.#take(part, text);
    return rows;
  }

  /** The newest pieces taken did not reach the disk. */
  putBack(rows: readonly PartialRow[]): void {
    this.#flushed -= rows.length;
    const later = this.#unflushed;
    this.#unflushed = [];
    this.unflushedLength = 0;
    for (const { part, text } of rows) this.#giveBack(part, text);
    for (const { part, kind, text } of [...rows, ...later]) this.#remember(part, kind as SpokenKind, text);
  }

  #take(index: number, text: string): void {
    const part = this.#parts[index]!;
    if ('kind' in part) part.taken += text;
  }

  #giveBack(index: number, { length }: string): void {
    const part = this.#parts[index]!;
    if ('kind' in part) part.taken = part.taken.slice(0, part.taken.length - length);
  }

  /** For a client that has just connected. */
  snapshot(): { part: number; kind: SpokenKind; text: string }[] {
    return this.#parts.flatMap((part, index) =>
      'kind' in part ? [{ part: index, kind: part.kind, text: this.#wordsOf(part, index) }] : [],
    );
  }

  #wordsOf(part: LivePart, index: number): string {
    const rest = this.#unflushed.filter((piece) => piece.part === index);
    return part.taken + rest.map(({ text }) => text).join('');
  }

  toParts(): Part[] {
    return this.#parts.flatMap((part, index): Part[] => {
      if ('kind' in part) return [toSpoken(part, this.#wordsOf(part, index))];
      if ('call' in part) return [toCallPart(part.call)];
      if ('whole' in part) return [part.whole];
      return 'resultOf' in part ? toResultPart(part.resultOf) : [part];
    });
  }

  /** Thoughts, notices, diffs and refused calls are not an answer. */
  get hasAnswer(): boolean {
    return this.#parts.some((part) => isFile(part) || ('kind' in part && part.kind === 'text'));
  }

  get isFlushed(): boolean {
    return this.#flushed > 0;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }
}

function isFile(part: OutputPart): boolean {
  return 'whole' in part && part.whole.type === 'file';
}

function toSpoken({ kind, beganAt, endedAt }: LivePart, text: string): Part {
  if (kind === 'text' || beganAt === null) return { type: kind, text };
  return { type: kind, text, durationMs: Math.max(0, Math.round(endedAt - beganAt)) };
}

/** A database stores whole characters only; a provider may cut a surrogate pair in two. */
function endsInHalf(text: string): boolean {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff;
}
