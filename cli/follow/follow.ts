import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action } from '../../contract/actions.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { newId } from '../../contract/ids.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SendMessageInput, Turn } from '../../contract/turns.ts';
import type { Connection } from '../connect.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { markShown } from '../mark-shown.ts';
import { note, print } from '../output.ts';
import { Speakers } from '../speakers.ts';
import { safeJson, safeLine } from '../terminal-text.ts';
import { formatMessage } from '../transcript.ts';
import { TurnPrinter } from '../turn-printer.ts';
import type { Attention, AttentionOptions } from './attention.ts';
import { TurnFamily } from './turn-family.ts';
import { type FrameSource, TurnFrames } from './turn-frames.ts';

const WAITING_MS = 700;

export interface Followed {
  /** One for each agent that answers, in order. */
  turns: Turn[];
  interrupted: boolean;
}

/** Sends a message and shows what follows until every addressed agent has answered. */
export function sendAndFollow(
  connection: Connection,
  session: Session,
  message: SendMessageInput,
  options: AttentionOptions,
): Promise<Followed> {
  const { client } = connection;
  const identified = { ...message, id: newId() };
  const frames = new TurnFrames(client, session.id, (signal) =>
    client.streamMessage(session.id, identified, { signal }),
  );
  const family = new TurnFamily({ messageId: identified.id });
  return new Following(connection, session, frames, family, options).show();
}

/** Shows turns that have been started already. The session is from before they began. */
export function followTurns(
  connection: Connection,
  session: Session,
  turnIds: readonly string[],
  options: AttentionOptions,
): Promise<Followed> {
  const { client } = connection;
  const source: FrameSource = (signal) => client.sessionEvents(session.id, { after: session.lastSeq, signal });
  const frames = new TurnFrames(client, session.id, source);
  return new Following(connection, session, frames, new TurnFamily({ turnIds }), options).show();
}

/** Shows the turns that one message started until they are over. Ctrl-C stops it on the server. */
class Following {
  readonly #connection: Connection;
  readonly #session: Pick<Session, 'id'>;
  readonly #frames: TurnFrames;
  readonly #family: TurnFamily;
  readonly #options: AttentionOptions;
  readonly #speakers = new Speakers();
  readonly #printer = new TurnPrinter(this.#speakers);
  readonly #interrupt: TurnInterrupt;
  #busyNote: NodeJS.Timeout | undefined;
  #attention: Attention | undefined;
  /** What came while the person was being asked. */
  #held: StreamFrame[] = [];
  /** Who was sent away and has not come back. */
  readonly #away = new Map<string, string>();

  constructor(
    connection: Connection,
    session: Pick<Session, 'id'>,
    frames: TurnFrames,
    family: TurnFamily,
    options: AttentionOptions,
  ) {
    this.#connection = connection;
    this.#session = session;
    this.#frames = frames;
    this.#family = family;
    this.#options = options;
    this.#interrupt = new TurnInterrupt(connection.client);
  }

  async show(): Promise<Followed> {
    // Loaded while the message is on its way; without colours there is nothing to load.
    const learned = this.#options.json ? undefined : this.#speakers.learn(this.#connection.client);
    try {
      await this.#interrupt.during(() => this.#showAll(learned));
      await this.#showRest();
      await markShown(this.#connection.client, this.#session);
      return { turns: this.#family.answering, interrupted: this.#interrupt.happened };
    } finally {
      clearTimeout(this.#busyNote);
      this.#frames.end();
      this.#printer.endMessage();
    }
  }

  async #showAll(learned: Promise<void> | undefined): Promise<void> {
    for await (const frame of this.#frames) {
      await learned;
      if (frame.type === 'reset') throw new CommandFailure(EVENTS_GONE);
      if (this.#family.takeIn(frame)) await this.#take(frame);
      if (this.#family.isOver) break;
    }
    await this.#attention?.idle;
  }

  /** What was started and goes on after the answer: a running server tells it later, otherwise it is waited for here. */
  async #showRest(): Promise<void> {
    const { client, workDone } = this.#connection;
    if (this.#away.size === 0) return;
    if (!workDone) {
      for (const agentId of this.#away.values())
        note(`${safeLine(agentId)} is still working; the result will be delivered to this session. See: parley tree`);
      return;
    }
    const shown = new Set(
      (await client.call('listMessages', { sessionId: this.#session.id })).messages.map(({ id }) => id),
    );
    await workDone();
    const { messages } = await client.call('listMessages', { sessionId: this.#session.id });
    this.#printer.endMessage();
    for (const message of messages.filter(({ id }) => !shown.has(id)))
      print(this.#options.json ? safeJson(message) : formatMessage(message, this.#speakers));
  }

  async #take(frame: StreamFrame): Promise<void> {
    if (frame.type === 'turn.queued') this.#busyNote ??= setTimeout(() => this.#sayBusy(), WAITING_MS);
    else clearTimeout(this.#busyNote);
    this.#interrupt.aim(this.#family.unsettled.map(({ id }) => id));
    if (frame.type === 'delegation.started' || frame.type === 'delegation.ended') this.#noteAway(frame);
    if (frame.type === 'action.settled') this.#attention?.settled(frame.action);
    this.#show(frame);
    if (frame.type === 'action.opened') await this.#attend(frame.action);
    if (this.#isOverOtherwise(frame)) throw new CommandFailure(ENDED_OTHERWISE[frame.type]!);
  }

  /** Accepted, but not begun. */
  #sayBusy(): void {
    if (!this.#options.json) note('The session is busy; your message is queued…');
  }

  #noteAway({ type, delegation, position, sessionId }: DelegationFrame): void {
    const { turnId, to } = delegation;
    if (turnId === null || delegation.sessionId === sessionId) return;
    if (type === 'delegation.ended') this.#away.delete(turnId);
    else this.#away.set(turnId, to);
    this.#frames.watchElsewhere(position);
  }

  #show(frame: StreamFrame): void {
    if (this.#attention?.isAsking) this.#held.push(frame);
    else if (this.#options.json) print(safeJson(frame));
    else this.#printer.show(frame);
  }

  /** Most turns ask nothing, and do not pay for it. */
  async #attend(action: Action): Promise<void> {
    const { attend } = await import('./attention.ts');
    this.#attention ??= attend(this.#connection, this.#options, () => this.#release());
    this.#printer.makeRoom();
    this.#attention.opened(action);
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const frame of held) this.#show(frame);
  }

  #isOverOtherwise({ type }: StreamFrame): boolean {
    return type in ENDED_OTHERWISE && (type !== 'turn.removed' || this.#family.isOver);
  }
}

type DelegationFrame = Extract<StreamFrame, { type: 'delegation.started' | 'delegation.ended' }>;

const EVENTS_GONE =
  'The server no longer has the events of this turn, so its reply cannot be shown live. Read the session with: parley tail';

const ENDED_OTHERWISE: Record<string, string> = {
  'turn.removed': 'The message was removed from the queue before it was answered.',
  'session.cleared': 'The session was cleared.',
  'session.deleted': 'The session was deleted.',
};

/**
 * Ctrl-C while turns are waited for: the first stops them on the server and lets their end arrive, the second leaves at
 * once.
 */
class TurnInterrupt {
  readonly #client: ParleyClient;
  #turnIds: readonly string[] = [];
  readonly #stopped = new Set<string>();
  #presses = 0;

  constructor(client: ParleyClient) {
    this.#client = client;
  }

  get happened(): boolean {
    return this.#presses > 0;
  }

  /** Until the server has accepted the message there is nothing to stop; then it is made up for. */
  aim(turnIds: readonly string[]): void {
    this.#turnIds = turnIds;
    if (this.happened) this.#stop();
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const press = () => this.#press();
    process.on('SIGINT', press);
    try {
      return await work();
    } finally {
      process.off('SIGINT', press);
    }
  }

  #press(): void {
    this.#presses += 1;
    if (this.#presses > 1) process.exit(EXIT_INTERRUPTED);
    this.#stop();
  }

  #stop(): void {
    for (const turnId of this.#turnIds) {
      if (this.#stopped.has(turnId)) continue;
      this.#stopped.add(turnId);
      // If the server cannot be reached, the turn cannot be stopped: leave.
      this.#client.call('cancelTurn', { turnId }).catch(() => process.exit(EXIT_INTERRUPTED));
    }
  }
}
