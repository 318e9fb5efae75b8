import { AppError } from '../../contract/errors.ts';
import type { SessionEvent } from '../../contract/events.ts';
import type { FilePart } from '../../contract/files.ts';
import type { Message, MessageList, Part } from '../../contract/messages.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import type { Db } from '../storage/tables.ts';
import { lineTo } from './branches.ts';
import {
  findCompaction,
  loadMessage,
  type MessagePage,
  type StoredMessage,
  selectMessages,
  selectMessagesById,
  selectPositions,
  selectQueuedMessages,
  selectSiblings,
  selectSpeakers,
} from './message-store.ts';
import { type Step, type StepCall, stepsOf } from './steps.ts';
import { loadSession } from './store.ts';
import { toMessage } from './views.ts';

/** A page of the branch being shown, oldest first; what waits in the queue comes last, on the newest page. */
export async function readMessages(db: Db, owner: string, sessionId: string, page: MessagePage): Promise<MessageList> {
  await loadSession(db, owner, sessionId);
  if (page.before !== undefined && page.after !== undefined) {
    throw new AppError('invalid_request', say('invalid_request.page'));
  }
  const rows = await selectMessages(db, sessionId, { ...page, limit: page.limit + 1 });
  const more = rows.length > page.limit;
  const shown = trim(rows, page);
  const atEnd = page.after === undefined ? page.before === undefined : !more;
  const queued = atEnd ? await selectQueuedMessages(db, sessionId) : [];
  return {
    messages: [...(await withSiblings(db, shown)), ...queued.map(toMessage)],
    before: hasEarlier(page, more, shown) ? (shown[0]?.seq ?? null) : null,
    after: atEnd ? null : (shown.at(-1)?.seq ?? null),
  };
}

/** One row more than asked for tells whether there is another page; it is the first or the last by direction. */
function trim(rows: StoredMessage[], page: MessagePage): StoredMessage[] {
  if (rows.length <= page.limit) return rows;
  return page.after === undefined ? rows.slice(1) : rows.slice(0, page.limit);
}

function hasEarlier(page: MessagePage, more: boolean, shown: StoredMessage[]): boolean {
  if (page.after === undefined) return more;
  return shown.length > 0 && page.after > 0;
}

async function withSiblings(db: Db, rows: StoredMessage[]): Promise<Message[]> {
  const siblings = await selectSiblings(db, rows);
  return rows.map((row) => {
    const ids = siblings.get(row.id);
    return ids ? { ...toMessage(row), siblings: ids } : toMessage(row);
  });
}

export async function readMessage(db: Db, owner: string, id: string): Promise<Message> {
  const row = await loadMessage(db, owner, id);
  return (await withSiblings(db, [row]))[0]!;
}

/** A message after those that it goes on from, oldest first, whichever branch is being shown. */
export async function readLineTo(db: Db, owner: string, messageId: string): Promise<Message[]> {
  const row = await loadMessage(db, owner, messageId);
  const positions = await selectPositions(db, row.session_id);
  const own = positions.find(({ id }) => id === messageId);
  // One that waits in the queue has no place yet.
  if (!own) return [toMessage(row)];
  const ids = lineTo(positions, own).map(({ id }) => id);
  return (await selectMessagesById(db, row.session_id, ids)).map(toMessage);
}

/** What a request is built from: attributed, in order, never changed once made. */
export interface HistoryMessage {
  readonly id: string;
  readonly seq: number;
  readonly role: Message['role'];
  readonly agent: string | null;
  readonly text: string;
  /** Of a delegation, and of a result that an agent brings: the agent that asked for the work. */
  readonly from?: string;
  /** Of a delegation that was refused: why. The text is the task alone. */
  readonly refusal?: string;
  /** What its speaker did, when it used tools. */
  readonly steps?: readonly Step[];
  /** What the person attached. */
  readonly files?: readonly HistoryFile[];
  /** Of a request to a webhook: what the webhook is called. */
  readonly webhook?: string;
}

export type HistoryFile = Readonly<Omit<FilePart, 'type'>>;

export interface History {
  /** Stands for everything before the messages. */
  readonly summary: string | null;
  readonly summarisedUpto: number;
  readonly messages: readonly HistoryMessage[];
  /** Every agent that has spoken on this branch, also in what is summarised; null for old untagged messages. */
  readonly speakers: ReadonlySet<string>;
}

interface CachedHistory extends History {
  readonly messages: HistoryMessage[];
  readonly speakers: Set<string>;
  bytes: number;
}

const DEFAULT_CACHE_BYTES = 32_000_000;
/** What the objects of a message and of a tool call take beside their texts, measured. */
const MESSAGE_BYTES = 560;
const CALL_BYTES = 300;
const LOAD_PAGE = 2000;

/**
 * The histories of sessions in use, kept up to date by the event stream, so that a turn's cost does not grow with what
 * was said before it. Bounded by the memory they take; the least recently used go first.
 */
export class Histories {
  readonly #log: EventLog;
  readonly #cache = new Map<string, CachedHistory>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(log: EventLog, maxBytes: number = DEFAULT_CACHE_BYTES) {
    this.#log = log;
    this.#maxBytes = maxBytes;
    log.bus.subscribe({ event: (stored) => this.#follow(stored.event) });
  }

  async of(sessionId: string): Promise<History> {
    const cached = this.#cache.get(sessionId);
    if (cached) {
      this.#cache.delete(sessionId);
      this.#cache.set(sessionId, cached);
      return cached;
    }
    // Loaded inside a transaction: nothing can be appended between the read and the first event that is followed.
    const reading = this.#log.db.transaction().setAccessMode('read only');
    return reading.execute(async (tx) => {
      const history = await loadHistory(tx, sessionId);
      this.#keep(sessionId, history);
      return history;
    });
  }

  #keep(sessionId: string, history: CachedHistory): void {
    this.#forget(sessionId);
    this.#cache.set(sessionId, history);
    this.#bytes += history.bytes;
    for (const oldest of this.#cache.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === sessionId) break;
      this.#forget(oldest);
    }
  }

  #forget(sessionId: string): void {
    this.#bytes -= this.#cache.get(sessionId)?.bytes ?? 0;
    this.#cache.delete(sessionId);
  }

  #follow(event: SessionEvent): void {
    switch (event.type) {
      case 'turn.started':
        this.#begin(event.sessionId, event.message, event.turn.id);
        this.#append(event.sessionId, event.message);
        break;
      case 'message.created':
        this.#append(event.sessionId, event.message);
        break;
      case 'turn.settled':
        if (event.message) this.#append(event.sessionId, event.message);
        break;
      case 'session.cleared':
      case 'session.deleted':
      case 'session.branched':
      case 'session.compacted':
      case 'message.deleted':
        this.#forget(event.sessionId);
        break;
      default:
    }
  }

  /**
   * Before the very first message of a session there was nothing: no need to ask the database. A further turn that starts
   * on that message, of another agent or as a retry, may come after what others have said.
   */
  #begin(sessionId: string, { seq, turnId }: Message, startedTurnId: string): void {
    if (seq === 1 && turnId === startedTurnId && !this.#cache.has(sessionId)) this.#keep(sessionId, emptyHistory());
  }

  /** A retried turn starts on a message that is already there. */
  #append(sessionId: string, message: Message): void {
    const history = this.#cache.get(sessionId);
    if (!history || message.seq === null || message.seq <= (history.messages.at(-1)?.seq ?? 0)) return;
    if (message.agent) history.speakers.add(message.agent);
    const entry = toHistory(message, message.seq);
    if (!isWorthReading(entry)) return;
    history.messages.push(entry);
    const size = sizeOf(entry);
    history.bytes += size;
    this.#bytes += size;
  }
}

function emptyHistory(): CachedHistory {
  return { summary: null, summarisedUpto: 0, messages: [], speakers: new Set(), bytes: 0 };
}

export function toHistory(message: Message, seq: number): HistoryMessage {
  const { id, role, agent, text, parts } = message;
  const plain = { id, seq, role, agent, text };
  if (role === 'delegation' || (role === 'user' && agent !== null)) return withAsker(plain, message);
  if (role === 'user') return withFiles(withWebhook(plain, parts), parts);
  const steps = parts.length > 1 ? stepsOf(parts) : undefined;
  return steps ? { ...plain, steps } : plain;
}

function withFiles(message: HistoryMessage, parts: readonly Part[]): HistoryMessage {
  const files = parts.flatMap((part) => (part.type === 'file' ? [part] : []));
  return files.length > 0 ? { ...message, files } : message;
}

function withWebhook(message: HistoryMessage, parts: readonly Part[]): HistoryMessage {
  const part = parts.find(({ type }) => type === 'webhook');
  return part?.type === 'webhook' ? { ...message, webhook: part.name } : message;
}

function withAsker(message: HistoryMessage, { parts }: Message): HistoryMessage {
  const part = parts.find((one) => one.type === 'delegation');
  if (part === undefined) return message;
  const { from, task, state, reason } = part;
  return state === 'refused' && reason ? { ...message, from, text: task, refusal: reason } : { ...message, from };
}

function isWorthReading({ text, steps, files }: HistoryMessage): boolean {
  return text !== '' || steps !== undefined || files !== undefined;
}

/** In memory. Texts of files count as if they were here: they live as long as what is. */
function sizeOf({ text, steps = [], files = [] }: HistoryMessage): number {
  const calls = steps.flatMap((step) => step.calls);
  const texts = [text, ...steps.map((step) => step.text)].reduce((sum, said) => sum + textBytes(said), MESSAGE_BYTES);
  const attached = files.reduce((sum, { kind, bytes }) => sum + CALL_BYTES + (kind === 'text' ? bytes : 0), texts);
  return calls.reduce((sum, call) => sum + callBytes(call), attached);
}

function callBytes({ input, result }: StepCall): number {
  return CALL_BYTES + textBytes(input) + textBytes(result?.output ?? '');
}

/** A text with any character beyond Latin-1 takes two bytes for each of its characters. */
function textBytes(text: string): number {
  return BEYOND_LATIN_1.test(text) ? text.length * 2 : text.length;
}

const BEYOND_LATIN_1 = /[\u0100-\uffff]/;

async function loadHistory(db: Db, sessionId: string): Promise<CachedHistory> {
  const compaction = await findCompaction(db, sessionId);
  const messages: HistoryMessage[] = [];
  let after = compaction?.upto_seq ?? 0;
  for (;;) {
    const rows = await selectMessages(db, sessionId, { after, limit: LOAD_PAGE });
    messages.push(...rows.map((row) => toHistory(toMessage(row), row.seq!)).filter(isWorthReading));
    if (rows.length < LOAD_PAGE) break;
    after = rows.at(-1)!.seq!;
  }
  const speakers = await selectSpeakers(db, sessionId);
  const bytes = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  return {
    summary: compaction?.summary ?? null,
    summarisedUpto: compaction?.upto_seq ?? 0,
    messages,
    speakers: new Set(speakers),
    bytes,
  };
}
