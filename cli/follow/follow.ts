import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action } from '../../contract/actions.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { newId } from '../../contract/ids.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SendMessageInput, Turn } from '../../contract/turns.ts';
import type { Connection } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { note, print } from '../output.ts';
import { Speakers } from '../speakers.ts';
import { SpeechPrinter } from '../speech-printer.ts';
import type { Attention, AttentionOptions } from './attention.ts';
import { TurnInterrupt } from './interrupt.ts';
import { SessionFrames } from './session-frames.ts';
import { TurnFamily } from './turn-family.ts';

const WAITING_MS = 700;

export interface Followed {
  /** One for each agent that answers, in order. */
  turns: Turn[];
  interrupted: boolean;
}

/** Says something and shows what comes of it until everybody who was asked has answered. */
export async function sendAndFollow(
  connection: Connection,
  session: Session,
  message: SendMessageInput,
  options: AttentionOptions,
): Promise<Followed> {
  const frames = new SessionFrames(connection.client, session);
  const identified = { ...message, id: message.id ?? newId() };
  const family = new TurnFamily({ messageId: identified.id });
  // Programs get the stream exactly as it is, and so do several answers: the first may be over before it is open.
  const fromStream = options.json || message.content.includes('@');
  const send = () => (fromStream ? sendInto(connection.client, frames, identified) : frames.sendAndHear(identified));
  return new Following(connection, frames, family, options).show(send);
}

async function sendInto(client: ParleyClient, frames: SessionFrames, message: SendMessageInput): Promise<void> {
  await frames.open();
  await client.sendMessage(frames.sessionId, message);
}

/** Shows turns that somebody has begun already. The session is from before they began. */
export function followTurns(
  connection: Connection,
  session: Session,
  turnIds: readonly string[],
  options: AttentionOptions,
): Promise<Followed> {
  const frames = new SessionFrames(connection.client, session);
  return new Following(connection, frames, new TurnFamily({ turnIds }), options).show(() => frames.open());
}

/** Shows a family of turns until it is over. Ctrl-C stops it on the server. */
class Following {
  readonly #connection: Connection;
  readonly #frames: SessionFrames;
  readonly #family: TurnFamily;
  readonly #options: AttentionOptions;
  readonly #speakers = new Speakers();
  readonly #printer = new SpeechPrinter(this.#speakers);
  readonly #interrupt: TurnInterrupt;
  readonly #busyNote: NodeJS.Timeout;
  #attention: Attention | undefined;
  /** What came while the person was being asked. */
  #held: StreamFrame[] = [];

  constructor(connection: Connection, frames: SessionFrames, family: TurnFamily, options: AttentionOptions) {
    this.#connection = connection;
    this.#frames = frames;
    this.#family = family;
    this.#options = options;
    this.#interrupt = new TurnInterrupt(connection.client);
    this.#busyNote = setTimeout(() => options.json || note(BUSY), WAITING_MS);
  }

  async show(begin: () => Promise<void>): Promise<Followed> {
    // Asked for while the message is on its way; nobody waits for it where there are no colours.
    const learned = this.#options.json ? undefined : this.#speakers.learn(this.#connection.client);
    begin().catch((error) => this.#frames.fail(error));
    try {
      await this.#interrupt.during(() => this.#showAll(learned));
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
      if (this.#family.takeIn(frame)) await this.#take(frame);
      if (this.#family.isOver) break;
    }
    await this.#attention?.idle;
  }

  async #take(frame: StreamFrame): Promise<void> {
    if (frame.type !== 'turn.queued') clearTimeout(this.#busyNote);
    this.#interrupt.aim(this.#family.unsettled.map(({ id }) => id));
    if (frame.type === 'delegation.started' && frame.delegation.sessionId !== frame.sessionId)
      this.#frames.watchElsewhere(frame.position);
    if (frame.type === 'action.settled') this.#attention?.settled(frame.action);
    this.#show(frame);
    if (frame.type === 'action.opened') await this.#attend(frame.action);
    if (this.#isOverOtherwise(frame)) throw new CommandFailure(ENDED_OTHERWISE[frame.type]!);
  }

  #show(frame: StreamFrame): void {
    if (this.#attention?.isAsking) this.#held.push(frame);
    else if (this.#options.json) print(JSON.stringify(frame));
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

const BUSY = 'The session is busy; your message waits its turn…';

const ENDED_OTHERWISE: Record<string, string> = {
  'turn.removed': 'The message was taken back before anybody answered it.',
  'session.cleared': 'The session was cleared meanwhile.',
  'session.deleted': 'The session was deleted meanwhile.',
};
