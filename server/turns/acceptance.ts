import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { WhenBusy } from '../../contract/turns.ts';
import type { Tx } from '../events/log.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { FileRow, SessionRow, TurnRow } from '../storage/tables.ts';
import type { TurnDeps } from './turn-deps.ts';

export interface Acceptance {
  owner: string;
  sessionId: string;
  /** The session is made in the same transaction, under that id. */
  create?: NewSession | undefined;
  /** Made by the sender; the same id and content give the same receipt. */
  messageId?: string | undefined;
  content: string;
  /** Sent up before. */
  files?: readonly string[] | undefined;
  agent?: string | undefined;
  guest?: string | undefined;
  /** Becomes the primary unless the message begins with the names of agents. */
  otherwise?: string | undefined;
  /** Sent by an agent on behalf of its turn, and answered by the one it names. */
  work?: DelegatedWork | undefined;
  /** Made of a request to an incoming webhook: its words are no person's, and name no agents. */
  webhook?: WebhookOrigin | undefined;
  busy: WhenBusy;
  /** How many servers the message has passed through before this one. */
  hops?: number | undefined;
  /** An edited message begins a branch: after this message, or at the very beginning. */
  branch?: { parentId: string | null; afterSeq: number };
}

/** With its files, which are known and the owner's, and with the agents that its words name. */
export interface Addressed extends Acceptance {
  attached: readonly FileRow[];
  /** All agents that answer, in this order, as guests unless they are the primary; empty when no name decides. */
  guests: readonly string[];
}

export interface DelegatedWork {
  from: string;
  to: string;
  parentTurnId: string;
  rootTurnId: string;
  /** Written in the transaction that accepts the message. The caller saves the session. */
  alsoWrite(tx: Tx, session: SessionRow, turn: TurnRow): Promise<void>;
}

export interface WebhookOrigin {
  webhookId: string;
  name: string;
  /** Written in the transaction that accepts the message. */
  alsoWrite(tx: Tx, turn: TurnRow): Promise<void>;
}

export interface Speaker {
  agentId: string;
  guest: boolean;
}

/** An agent that the sender names counts more than the words; what one agent sends another is for that one. */
export function nameAgents(deps: TurnDeps, session: SessionRow, given: Acceptance): Omit<Addressed, 'attached'> {
  if (given.agent || given.guest || given.work) return { ...given, guests: [] };
  const guests = given.webhook ? [] : deps.delegation.addressed(deps, session, given.content);
  const isOther = given.otherwise !== undefined && given.otherwise !== session.agent_id;
  return { ...given, guests, ...(isOther && guests.length === 0 && { agent: given.otherwise }) };
}

/** Who will be the primary when a new message has its turn, if everything that waits before it runs. */
export function primaryAfter(session: SessionRow, open: readonly TurnRow[], { busy }: Acceptance): string | null {
  const waiting = busy === 'interrupt' ? [] : open.filter(({ state }) => state === 'queued');
  return waiting.findLast(({ primary_rule }) => primary_rule === 'becomes')?.agent_id ?? session.agent_id;
}

export function chooseSpeakers(primary: string | null, wanted: Addressed): [Speaker, ...Speaker[]] {
  const [first, ...rest] = wanted.guests;
  if (!first) return [chooseSpeaker(primary, wanted)];
  const toSpeaker = (agentId: string) => ({ agentId, guest: agentId !== primary });
  return [toSpeaker(first), ...rest.map(toSpeaker)];
}

function chooseSpeaker(primary: string | null, wanted: Acceptance): Speaker {
  if (wanted.work) return { agentId: wanted.work.to, guest: false };
  if (wanted.guest) return { agentId: wanted.guest, guest: wanted.guest !== primary };
  const agentId = wanted.agent ?? primary;
  if (!agentId) throw new AppError('agent_required', say('agent_required'));
  return { agentId, guest: false };
}

/** What the turn means for the primary of its session. */
export function ruleFor({ agent, guest, guests, work }: Addressed): TurnRow['primary_rule'] {
  if (agent) return 'becomes';
  return guest || guests.length > 0 || work ? null : 'follows';
}

export interface QueuePosition {
  order: number;
  steerInto: string | null;
  interrupts: string | null;
}

/** Where a message waits in a busy session, and what its coming means for the turn that runs. */
export function placeInQueue(open: TurnRow[], wanted: Addressed, deps: TurnDeps): QueuePosition {
  // The innermost running turn takes steering messages; the outermost one is interrupted.
  const running = open.findLast((turn) => turn.state !== 'queued');
  const queued = open.filter((turn) => turn.state === 'queued');
  const last = { order: (open.at(-1)?.queue_order ?? 0) + 1, steerInto: null, interrupts: null };
  if (open.length === 0) return last;
  if (wanted.busy === 'reject' || wanted.branch) {
    throw new AppError('session_busy', say('session_busy'));
  }
  // A message that interrupts does not wait, so a full queue does not keep it out.
  if (queued.length >= deps.limits().queuedPerSession && wanted.busy !== 'interrupt') {
    throw new AppError('queue_full', say('queue_full', { count: queued.length }));
  }
  const next = queued[0] ? queued[0].queue_order - 1 : last.order;
  if (wanted.busy === 'steer' && running && isFor(running, wanted)) {
    // A guest's answer is kept as a whole or not at all, so what is added is answered next, by a turn of its own.
    if (running.guest === 1) return { ...last, order: next };
    if (!canSteer(deps, running.id)) {
      throw new AppError('steer_unsupported', say('steer_unsupported', { agent: running.agent_id }));
    }
    return { ...last, steerInto: running.id };
  }
  if (wanted.busy !== 'interrupt') return last;
  return { ...last, order: next, interrupts: open.find((turn) => turn.state !== 'queued')?.id ?? null };
}

/** A message that names another agent waits for that agent's turn, however it was meant to be sent. */
function isFor(running: TurnRow, { agent, guest, guests, work }: Addressed): boolean {
  if (work || guests.length > 1) return false;
  const invited = guest ?? guests[0];
  // A message that names no agent, or a new primary, is not for the guest that speaks just now.
  if (running.guest === 1) return invited === running.agent_id;
  const named = agent ?? invited;
  return named === undefined || named === running.agent_id;
}

/** Of a turn that is only just beginning nothing is known yet; what it does not take is answered afterwards. */
function canSteer({ coordinator }: TurnDeps, turnId: string): boolean {
  return coordinator.running(turnId)?.agent?.traits.steers ?? true;
}
