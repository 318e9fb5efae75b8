import type { LiveTurn } from '../../../client/live-turn.ts';
import type { Messages } from '../../../client/message-tree.ts';
import { type SessionState, shownMessages } from '../../../client/session-state.ts';
import type { Action } from '../../../contract/actions.ts';
import { ownWords } from '../../../contract/context-line.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';
import type { Outgoing } from '../../state/sending.ts';

/** What the transcript shows, from top to bottom. Keys are ids, never places. */
export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | MessageRow
  | { readonly kind: 'unfinished'; readonly key: string; readonly turn: Turn }
  | LiveRow
  | { readonly kind: 'action'; readonly key: string; readonly action: Action };

export interface LiveRow {
  readonly kind: 'live';
  readonly key: string;
  readonly slot: string;
  readonly turn: LiveTurn;
  readonly subAgentOf: string | null;
}

export interface MessageRow {
  readonly kind: 'message';
  readonly key: string;
  readonly slot: string;
  readonly message: Message;
  readonly subAgentOf: string | null;
  /** Not yet in the conversation. */
  readonly isSending: boolean;
}

/** What it is in the page: an answer is the same thing there once it has an id as it was before. */
export function slotOf(row: Row): string {
  return 'slot' in row ? row.slot : row.key;
}

/** What was said, without anything around it. */
export function wordsOf(row: Row): string {
  if (row.kind === 'message') return ownWords(row.message);
  if (row.kind !== 'live') return '';
  return row.turn.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n\n');
}

/** `isWhole`: nothing earlier is left to be loaded. */
export function toRows(
  state: SessionState,
  outgoing: readonly Outgoing[] = [],
  isWhole = true,
  { hidden = NONE, askedElsewhere = [] }: Besides = {},
): Row[] {
  const { rows: all, answers } = rowsSaid(state, isWhole);
  const said = withoutHidden(all, hidden);
  // A turn that waits for a delegate has nothing to show until it goes on.
  const live = state.open
    .filter((turn) => turn === state.live || turn.parts.length > 0)
    .map((turn) => toLive(turn, state, answers));
  const atCalls = actionsAtCalls(state);
  const asked = [...state.actions.values(), ...askedElsewhere].filter(({ id }) => !atCalls.has(id));
  const sent = outgoing.filter(({ id }) => !state.messages.has(id)).map(toMessage);
  const last = said.findLast((row): row is MessageRow => row.kind === 'message')?.message;
  return [
    ...said,
    ...live,
    ...asked.map((action) => ({ kind: 'action', key: action.id, action }) as const),
    ...sent.flatMap((message, index) =>
      withDay(toRow(message, message.id, undefined, true), index === 0 ? last : sent[index - 1]),
    ),
  ];
}

interface Besides {
  /** Messages that are being deleted. */
  hidden?: ReadonlySet<string>;
  /** What is asked in other sessions on behalf of a turn in this one. */
  askedElsewhere?: readonly Action[];
}

const NONE: ReadonlySet<string> = new Set();

/** Without messages that are being deleted, and without the days that only they belong to. */
function withoutHidden(rows: readonly Row[], hidden: ReadonlySet<string>): readonly Row[] {
  if (hidden.size === 0) return rows;
  const left = rows.filter((row) => {
    if (row.kind === 'message') return !hidden.has(row.message.id);
    return row.kind !== 'unfinished' || !hidden.has(row.turn.messageId);
  });
  if (left.length === rows.length) return rows;
  return left.filter((row, index) => row.kind !== 'day' || (left[index + 1]?.kind ?? 'day') !== 'day');
}

/** Actions that a tool call in the transcript shows in its place. */
function actionsAtCalls({ open }: SessionState): ReadonlySet<string | null> {
  const calls = open.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
  return new Set(calls.filter(({ state }) => state === 'waiting').map(({ actionId }) => actionId));
}

interface Said {
  readonly isWhole: boolean;
  readonly headId: string | null;
  readonly turns: SessionState['turns'];
  readonly actions: SessionState['actions'];
  readonly rows: readonly Row[];
  readonly answers: Answers;
}

/** How many answers each turn has given: one that was steered has several. */
type Answers = ReadonlyMap<string, number>;

const made = new WeakMap<Messages, Said>();

/** Made anew when something was said, not with every token: a conversation may have ten thousand messages. */
function rowsSaid(state: SessionState, isWhole: boolean): Said {
  const { messages, headId, turns, actions } = state;
  const known = made.get(messages);
  if (known?.headId === headId && known.turns === turns && known.actions === actions && known.isWhole === isWhole)
    return known;
  const shown = shownMessages(state);
  const unfinished = unfinishedTurns(state, shown);
  const answers = new Map<string, number>();
  const rows = shown.flatMap((message, index) => {
    const before = shown[index - 1];
    const row = toRow(message, slotIn(answers, message), before, false);
    // Its day begins further up, and a row that stays the first one could not hold the place of those below it.
    const withItsDay = index === 0 && !isWhole ? [row] : withDay(row, before);
    const failed = unfinished.get(message.id) ?? [];
    return [...withItsDay, ...failed.map(toUnfinished)];
  });
  const said = { isWhole, headId, turns, actions, rows, answers };
  made.set(messages, said);
  return said;
}

function slotIn(answers: Map<string, number>, { id, role, turnId }: Message): string {
  if (role !== 'assistant' || turnId === null) return id;
  const slot = slotAfter(answers, turnId);
  answers.set(turnId, (answers.get(turnId) ?? 0) + 1);
  return slot;
}

function slotAfter(answers: Answers, turnId: string): string {
  return `answer ${turnId} ${answers.get(turnId) ?? 0}`;
}

function withDay(row: MessageRow, before: Message | undefined): Row[] {
  const { message } = row;
  if (before && dayOf(before.createdAt) === dayOf(message.createdAt)) return [row];
  return [{ kind: 'day', key: `day ${dayOf(message.createdAt)}`, at: message.createdAt }, row];
}

const rowOf = new WeakMap<Message, MessageRow>();

/** The same row for the same message, as long as it stands after the same one. */
function toRow(message: Message, slot: string, before: Message | undefined, isSending: boolean): MessageRow {
  const known = rowOf.get(message);
  const from = subAgentOf(message, before);
  if (known?.slot === slot && known.subAgentOf === from && known.isSending === isSending) return known;
  const row: MessageRow = { kind: 'message', key: message.id, slot, message, subAgentOf: from, isSending };
  rowOf.set(message, row);
  return row;
}

let lastDay = { iso: '', day: '' };

/** Each is asked for twice in a row. */
function dayOf(iso: string): string {
  if (lastDay.iso !== iso) lastDay = { iso, day: new Date(iso).toDateString() };
  return lastDay.day;
}

/** Who gave the work that a message answers, when it was given in this session. */
function subAgentOf(message: Message, before: Message | undefined): string | null {
  if (message.role !== 'assistant' || before?.role !== 'delegation' || before.agent !== message.agent) return null;
  return before.parts.find((part) => part.type === 'delegation')?.from ?? null;
}

function toUnfinished(turn: Turn): Row {
  return { kind: 'unfinished', key: `unfinished ${turn.id}`, turn };
}

function toLive(turn: LiveTurn, { turns }: SessionState, answers: Answers): LiveRow {
  const { turnId } = turn;
  const parent = turns.get(turnId)?.parentTurnId;
  const from = (parent && turns.get(parent)?.agentId) ?? null;
  return { kind: 'live', key: `live ${turnId}`, slot: slotAfter(answers, turnId), turn, subAgentOf: from };
}

const messageOf = new WeakMap<Outgoing, Message>();

/** As it will be in the conversation, under the id it will have there. */
function toMessage(outgoing: Outgoing): Message {
  const known = messageOf.get(outgoing);
  if (known) return known;
  const { id, sessionId, content, files, createdAt } = outgoing;
  const attached = files.map(({ id: fileId, ...file }) => ({ type: 'file', fileId, ...file }) as const);
  const message: Message = {
    id,
    sessionId,
    seq: null,
    parentId: null,
    turnId: null,
    role: 'user',
    agent: null,
    guest: false,
    status: 'queued',
    text: content,
    parts: [...(content === '' ? [] : [{ type: 'text' as const, text: content }]), ...attached],
    archived: false,
    createdAt,
  };
  messageOf.set(outgoing, message);
  return message;
}

/**
 * Turns of which the transcript has to say that they came to nothing, by the message after which it says so: what they
 * said, or else what they were to answer. Not those that were tried again, nor those about which the person is asked.
 */
function unfinishedTurns(
  { turns, actions }: SessionState,
  shown: readonly Message[],
): ReadonlyMap<string, readonly Turn[]> {
  const wanting = [...turns.values()].filter(isWanting);
  if (wanting.length === 0) return NO_TURNS;
  const again = new Set(Array.from(turns.values(), ({ retryOf }) => retryOf));
  const asked = new Set(Array.from(actions.values(), ({ turnId }) => turnId));
  const here = new Set(shown.map(({ id }) => id));
  const told = wanting.filter(({ id, messageId }) => !again.has(id) && !asked.has(id) && here.has(messageId));
  return Map.groupBy(told.sort(byAge), ({ answerId, messageId }) =>
    answerId !== null && here.has(answerId) ? answerId : messageId,
  );
}

const NO_TURNS: ReadonlyMap<string, readonly Turn[]> = new Map();

/** What the person stopped needs no word when something was said: it is marked there. What was stopped for another reason does. */
function isWanting({ state, answerId, parentTurnId, steeredInto, error }: Turn): boolean {
  if (steeredInto !== null) return false;
  if (state === 'cancelled') return parentTurnId === null && (answerId === null || error !== null);
  return state === 'failed' || state === 'interrupted';
}

function byAge(a: Turn, b: Turn): number {
  return a.createdAt < b.createdAt ? -1 : 1;
}
