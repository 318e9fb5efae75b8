import type { Action } from '../contract/actions.ts';
import type { Delegation } from '../contract/delegation.ts';
import type { SessionEvent, StreamFrame, TurnPartial } from '../contract/events.ts';
import type { Message } from '../contract/messages.ts';
import type { Compaction, Session, SessionStatus } from '../contract/sessions.ts';
import type { ToolCall } from '../contract/tools.ts';
import type { Turn } from '../contract/turns.ts';
import { withoutDeleted } from './deleted-messages.ts';
import {
  beginMessage,
  beginTurn,
  hasGap,
  hear,
  type LiveTurn,
  noteCall,
  noteProgress,
  noteRetry,
  noteTurnProgress,
  takePartial,
} from './live-turn.ts';
import { archiveUpto, type Messages, pathTo, withMessage } from './message-tree.ts';
import { noteAction, type OpenActions } from './open-actions.ts';
import { changeTurn, dropTurn, type OpenTurns, openTurnsOf, putTurn } from './open-turns.ts';

export interface QueueEntry {
  readonly turn: Turn;
  readonly message: Message;
}

/** One session as a client knows it. Never changed in place. */
export interface SessionState {
  readonly sessionId: string;
  /** Null until the session has been loaded or announced. */
  readonly session: Session | null;
  readonly status: SessionStatus;
  /** Every branch, as far as it is loaded; `pathTo(messages, headId)` is the one being shown. */
  readonly messages: Messages;
  readonly headId: string | null;
  /** Next first. */
  readonly queue: readonly QueueEntry[];
  /** In the order in which they were accepted. */
  readonly turns: ReadonlyMap<string, Turn>;
  /**
   * Turns under way, with what each has said and done since its last message. There is one, unless it has handed work to
   * another agent in this session: then that one's turn comes after it, and speaks while it waits.
   */
  readonly open: OpenTurns;
  /** The innermost open turn, which speaks now. */
  readonly live: LiveTurn | null;
  /** What is asked of the person here, oldest first, by id. */
  readonly actions: OpenActions;
  /** Work that was given to others from here, by the turn that does it. */
  readonly delegations: ReadonlyMap<string, Delegation>;
  readonly compactions: readonly Compaction[];
  /** The number of the last event that is in here. */
  readonly lastSeq: number;
  /** Something was missed: load the session anew. */
  readonly stale: boolean;
  readonly deleted: boolean;
}

export interface Snapshot {
  session: Session;
  messages: readonly Message[];
  queue: readonly QueueEntry[];
  turns: readonly Turn[];
  /** Those that were asked elsewhere on behalf of a turn here are left out. */
  actions?: readonly Action[];
  delegations?: readonly Delegation[];
  partials?: readonly TurnPartial[];
}

export function emptyState(sessionId: string): SessionState {
  return {
    sessionId,
    session: null,
    status: 'idle',
    messages: new Map(),
    headId: null,
    queue: [],
    turns: new Map(),
    open: [],
    live: null,
    actions: new Map(),
    delegations: new Map(),
    compactions: [],
    lastSeq: 0,
    stale: false,
    deleted: false,
  };
}

/** What the server said when asked; events after `session.lastSeq` go on from here. */
export function fromSnapshot(snapshot: Snapshot): SessionState {
  const { session, messages, queue, turns, actions = [], delegations = [], partials = [] } = snapshot;
  const state: SessionState = {
    ...emptyState(session.id),
    session,
    status: session.status,
    messages: new Map(messages.filter(isPlaced).map((message) => [message.id, message])),
    headId: session.headId,
    queue,
    turns: new Map(turns.toReversed().map((turn) => [turn.id, turn])),
    actions: actions.filter(({ sessionId }) => sessionId === session.id).reduce(noteAction, new Map()),
    delegations: new Map(delegations.flatMap((one) => (one.turnId === null ? [] : [[one.turnId, one]]))),
    lastSeq: session.lastSeq,
  };
  return partials.reduce(takeUp, withOpen(state, openTurnsOf(turns)));
}

function withOpen(state: SessionState, open: OpenTurns): SessionState {
  return open === state.open ? state : { ...state, open, live: open.at(-1) ?? null };
}

/**
 * The one reducer over what the server streams. A replay of the durable events gives the same state as having watched
 * them live, apart from what a running turn is saying at the moment.
 */
export function applyFrame(state: SessionState, frame: StreamFrame): SessionState {
  switch (frame.type) {
    case 'delta':
      return withOpen(
        state,
        changeTurn(state.open, frame.turnId, (live) => hear(live, frame)),
      );
    case 'tool.progress':
      return withOpen(
        state,
        changeTurn(state.open, frame.turnId, (live) => noteProgress(live, frame)),
      );
    case 'turn.progress':
      return withOpen(
        state,
        changeTurn(state.open, frame.turnId, (live) => noteTurnProgress(live, frame)),
      );
    case 'turn.retrying':
      return withOpen(
        state,
        changeTurn(state.open, frame.turnId, (live) => noteRetry(live, frame)),
      );
    case 'turn.partial':
      return takeUp(state, frame);
    case 'reset':
      return { ...state, stale: true };
    case 'configuration.changed':
    case 'templates.changed':
    case 'panel.command':
    case 'artifact.changed':
    case 'artifacts.missed':
    case 'artifact.removed':
    case 'knowledge.changed':
    case 'knowledge.removed':
    case 'knowledge.missed':
    case 'memory.changed':
    case 'webhooks.changed':
    case 'server.stopping':
      return state;
    default:
      return isNew(state, frame) ? applyEvent(noteNumber(state, frame), frame) : state;
  }
}

/** A turn that is known to be over has nothing more to say. */
function takeUp(state: SessionState, partial: TurnPartial): SessionState {
  const isOver = state.turns.get(partial.turnId)?.endedAt != null;
  if (partial.sessionId !== state.sessionId || isOver) return state;
  const known = state.open.find(({ turnId }) => turnId === partial.turnId);
  const live = takePartial(known, partial);
  return live === known ? state : withOpen(state, putTurn(state.open, live));
}

function isNew(state: SessionState, event: SessionEvent): boolean {
  return event.sessionId === state.sessionId && event.seq > state.lastSeq;
}

/** Numbers rise without gaps; a clear forgets what was before it, so a replay may begin there. */
function noteNumber(state: SessionState, event: SessionEvent): SessionState {
  const missed = event.seq !== state.lastSeq + 1 && event.type !== 'session.cleared';
  return { ...state, lastSeq: event.seq, stale: state.stale || missed };
}

function applyEvent(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session.created':
    case 'session.updated':
      return describe(state, event.session);
    case 'session.cleared':
      return clear(state);
    case 'session.deleted':
      return { ...withOpen(state, []), deleted: true, queue: [], actions: new Map() };
    case 'session.branched':
      return { ...state, headId: event.headId };
    case 'session.compacted':
      return compact(state, event.compaction);
    case 'turn.queued':
      return { ...noteTurn(state, event), queue: [...without(state, event.turn.id), toEntry(event)] };
    case 'turn.updated':
      return reorder(noteTurn(state, event), event);
    case 'turn.removed':
      return forget(state, event);
    case 'turn.started':
      return start(noteTurn(state, event), event);
    case 'turn.settled':
      return settle(noteTurn(state, event), event);
    case 'turn.waiting':
    case 'turn.resumed':
      return noteTurn(state, event);
    case 'message.created':
      return speak(state, event.message);
    case 'message.deleted':
      return withoutDeleted(state, event);
    case 'tool.started':
    case 'tool.updated':
    case 'tool.ended':
      return call(state, event.call);
    case 'delegation.started':
    case 'delegation.ended':
      return noteDelegation(state, event.delegation);
    case 'action.opened':
    case 'action.settled':
      return { ...state, actions: noteAction(state.actions, event.action) };
    default:
      return event satisfies never;
  }
}

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

/** Its head is the truth at that moment, but what it says of turns is said by turns. */
function describe(state: SessionState, session: Session): SessionState {
  return { ...state, session, status: session.status, headId: session.headId };
}

/** History gone, identity kept. */
function clear({ sessionId, session, lastSeq }: SessionState): SessionState {
  const kept = session && { ...session, headId: null, agents: [], lastSnippet: '' };
  return { ...emptyState(sessionId), session: kept, lastSeq };
}

function compact(state: SessionState, compaction: Compaction): SessionState {
  const messages = archiveUpto(state.messages, state.headId, compaction.uptoSeq);
  return { ...state, messages, compactions: [...state.compactions, compaction] };
}

function noteTurn(state: SessionState, { turn, status }: { turn: Turn; status: SessionStatus }): SessionState {
  return { ...state, status, turns: new Map(state.turns).set(turn.id, turn) };
}

function without(state: SessionState, turnId: string): QueueEntry[] {
  return state.queue.filter(({ turn }) => turn.id !== turnId);
}

function toEntry({ turn, message }: { turn: Turn; message: Message }): QueueEntry {
  return { turn, message };
}

function reorder(state: SessionState, event: EventOf<'turn.updated'>): SessionState {
  const entries = [...without(state, event.turn.id), toEntry(event)];
  const queue = event.queue.flatMap((id) => entries.find(({ turn }) => turn.id === id) ?? []);
  return { ...state, queue };
}

function forget(state: SessionState, { turnId, status }: EventOf<'turn.removed'>): SessionState {
  const turns = new Map(state.turns);
  turns.delete(turnId);
  return { ...state, status, turns, queue: without(state, turnId) };
}

function start(state: SessionState, { turn, message }: EventOf<'turn.started'>): SessionState {
  return withOpen({ ...place(state, message), queue: without(state, turn.id) }, putTurn(state.open, beginTurn(turn)));
}

function settle(state: SessionState, { turn, message }: EventOf<'turn.settled'>): SessionState {
  const placed = message ? place(state, message) : state;
  return withOpen({ ...placed, queue: without(state, turn.id) }, dropTurn(state.open, turn.id));
}

/** What was live is stored now; a turn that goes on begins its next message. What it hands to others is no answer. */
function speak(state: SessionState, message: Message): SessionState {
  const spoken = message.role === 'assistant' ? message.turnId : null;
  const open = changeTurn(state.open, spoken, (live) => beginMessage(live, message.id));
  return place(withOpen(state, open), message);
}

function call(state: SessionState, toolCall: ToolCall): SessionState {
  return withOpen(
    state,
    changeTurn(state.open, toolCall.turnId, (live) => noteCall(live, toolCall)),
  );
}

/** One that was refused has no turn: the thread says so, or the result of the tool. */
function noteDelegation(state: SessionState, delegation: Delegation): SessionState {
  if (delegation.turnId === null) return state;
  const delegations = new Map(state.delegations).set(delegation.turnId, delegation);
  return { ...state, delegations, messages: noteInMessage(state, delegation) };
}

/** The message that gave the work says how it went, as it does when it is loaded. */
function noteInMessage({ messages, turns }: SessionState, { turnId, state }: Delegation): Messages {
  const message = messages.get(turns.get(turnId ?? '')?.messageId ?? '');
  if (message?.role !== 'delegation') return messages;
  const parts = message.parts.map((part) => (part.type === 'delegation' ? { ...part, state } : part));
  return withMessage(messages, { ...message, parts });
}

/** A message that several answer is shown already when the next of them begins, and others may have followed it. */
function place(state: SessionState, message: Message): SessionState {
  const known = state.messages.get(message.id);
  const placed = known?.siblings ? { ...message, siblings: known.siblings } : message;
  const isShown = known !== undefined && shownMessages(state).some(({ id }) => id === message.id);
  return { ...state, messages: withMessage(state.messages, placed), headId: isShown ? state.headId : message.id };
}

function isPlaced(message: Message): boolean {
  return message.seq !== null;
}

/** The transcript as it is shown: the branch, oldest first. */
export function shownMessages(state: SessionState): Message[] {
  return pathTo(state.messages, state.headId);
}

export function isBusy({ status }: SessionState): boolean {
  return status === 'working' || status === 'waiting' || status === 'connecting';
}

/** Text of a running turn is missing: a `turn.partial` brings it, which every new stream begins with. */
export function missesText({ open }: SessionState): boolean {
  return open.some(hasGap);
}
