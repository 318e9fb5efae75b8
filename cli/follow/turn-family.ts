import type { StreamFrame } from '../../contract/events.ts';
import type { Turn } from '../../contract/turns.ts';

/** Which turns to follow: those that answer a message, or those with these ids. */
export type FollowTarget = { messageId: string } | { turnIds: readonly string[] };

/**
 * The turns that one message started: those that answer it, and in the same session those that work for them. Every
 * addressed agent is known before the first of them has ended.
 */
export class TurnFamily {
  readonly #target: FollowTarget;
  readonly #members = new Set<string>();
  /** Those that answer, as they stand. */
  readonly #answering = new Map<string, Turn>();
  #hasBegun = false;

  constructor(target: FollowTarget) {
    this.#target = target;
    if ('turnIds' in target) for (const id of target.turnIds) this.#members.add(id);
  }

  /** In the order in which they answer. */
  get answering(): Turn[] {
    return [...this.#answering.values()];
  }

  get unsettled(): Turn[] {
    return this.answering.filter(({ endedAt }) => endedAt === null);
  }

  /** Every addressed agent has answered, or its message was taken back. */
  get isOver(): boolean {
    return this.#hasBegun && this.unsettled.length === 0;
  }

  /** Whether a frame belongs to these turns. A frame may also add a turn to them. */
  takeIn(frame: StreamFrame): boolean {
    // A repeated send begins with how an ended turn began: what it said is told before its end.
    if (frame.type === 'turn.started') this.#note({ ...frame.turn, endedAt: null });
    else if ('turn' in frame) this.#note(frame.turn);
    if (frame.type === 'turn.removed') this.#answering.delete(frame.turnId);
    return this.#isAbout(frame);
  }

  #note(turn: Turn): void {
    const answers = this.#isTarget(turn);
    if (answers) this.#answering.set(turn.id, turn);
    this.#hasBegun ||= answers;
    if (answers || (turn.parentTurnId !== null && this.#members.has(turn.parentTurnId))) this.#members.add(turn.id);
  }

  #isTarget({ id, messageId, retryOf }: Turn): boolean {
    const target = this.#target;
    return 'turnIds' in target
      ? target.turnIds.includes(id)
      : messageId === target.messageId && (retryOf === null || this.#answering.has(id));
  }

  #isAbout(frame: StreamFrame): boolean {
    switch (frame.type) {
      case 'session.cleared':
      case 'session.deleted':
        return true;
      case 'delta':
      case 'tool.progress':
      case 'turn.progress':
      case 'turn.retrying':
      case 'turn.partial':
      case 'turn.removed':
        return this.#members.has(frame.turnId);
      case 'message.created':
        return frame.message.turnId !== null && this.#members.has(frame.message.turnId);
      case 'tool.started':
      case 'tool.updated':
      case 'tool.ended':
        return this.#members.has(frame.call.turnId);
      case 'delegation.started':
      case 'delegation.ended':
        return this.#members.has(frame.delegation.parentTurnId);
      case 'action.opened':
      case 'action.settled':
        return [frame.action, ...frame.action.chain].some(({ turnId }) => this.#members.has(turnId));
      default:
        return 'turn' in frame && this.#members.has(frame.turn.id);
    }
  }
}
