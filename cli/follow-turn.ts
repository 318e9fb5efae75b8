import type { ParleyClient } from '../client/parley-client.ts';
import type { StreamFrame } from '../contract/events.ts';
import type { Turn } from '../contract/turns.ts';
import { CommandFailure } from './failure.ts';
import { TurnInterrupt } from './interrupt.ts';
import { note, print } from './output.ts';
import { Speakers } from './speakers.ts';
import { SpeechPrinter } from './speech-printer.ts';

const WAITING_MS = 700;

export interface Followed {
  turn: Turn;
  interrupted: boolean;
}

/** Shows one turn until it is settled. Ctrl-C stops it on the server. */
export async function followTurn(
  client: ParleyClient,
  frames: AsyncIterable<StreamFrame>,
  { json = false }: { json?: boolean | undefined },
): Promise<Followed> {
  const speakers = new Speakers();
  // Asked for while the message is on its way; nobody waits for it where there are no colours.
  const learned = json ? undefined : speakers.learn(client);
  const printer = new SpeechPrinter(speakers);
  const interrupt = new TurnInterrupt(client);
  const show = json
    ? (frame: StreamFrame) => print(JSON.stringify(frame))
    : (frame: StreamFrame) => printer.show(frame);
  const turn = await interrupt.during(() => showUntilSettled(after(learned, frames), show, interrupt, json));
  printer.endMessage();
  return { turn, interrupted: interrupt.happened };
}

async function* after(
  ready: Promise<void> | undefined,
  frames: AsyncIterable<StreamFrame>,
): AsyncGenerator<StreamFrame> {
  for await (const frame of frames) {
    await ready;
    yield frame;
  }
}

async function showUntilSettled(
  frames: AsyncIterable<StreamFrame>,
  show: (frame: StreamFrame) => void,
  interrupt: TurnInterrupt,
  json: boolean,
): Promise<Turn> {
  const waiting = setTimeout(() => json || note('The session is busy; your message waits its turn…'), WAITING_MS);
  try {
    for await (const frame of frames) {
      show(frame);
      if (frame.type === 'turn.queued' || frame.type === 'turn.started') interrupt.aim(frame.turn.id);
      if (frame.type !== 'turn.queued') clearTimeout(waiting);
      if (frame.type === 'turn.settled') return frame.turn;
      if (frame.type in ENDED_OTHERWISE) throw new CommandFailure(ENDED_OTHERWISE[frame.type]!);
    }
    throw new CommandFailure('The stream ended before the turn did.');
  } finally {
    clearTimeout(waiting);
  }
}

const ENDED_OTHERWISE: Record<string, string> = {
  'turn.removed': 'The message was taken back before anybody answered it.',
  'session.cleared': 'The session was cleared meanwhile.',
  'session.deleted': 'The session was deleted meanwhile.',
};

/** The frames of one turn out of a session's, for turns that were not begun by a streaming send. */
export async function* framesOfTurn(frames: AsyncIterable<StreamFrame>, turnId: string): AsyncGenerator<StreamFrame> {
  for await (const frame of frames) if (isAbout(frame, turnId)) yield frame;
}

function isAbout(frame: StreamFrame, turnId: string): boolean {
  if (frame.type === 'session.deleted' || frame.type === 'session.cleared') return true;
  if (frame.type === 'delta' || frame.type === 'turn.partial' || frame.type === 'turn.removed')
    return frame.turnId === turnId;
  if (frame.type === 'message.created') return frame.message.turnId === turnId;
  return 'turn' in frame && frame.turn.id === turnId;
}
