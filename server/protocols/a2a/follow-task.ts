import type { Artifact, StreamResponse } from '@a2a-js/sdk';
import type { StreamFrame } from '../../../contract/events.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';
import type { ProtocolDeps } from '../protocol.ts';
import { openQuestion } from './read-task.ts';
import { fileResponse, pieceResponse, statusResponse, taskResponse, toTask } from './tasks.ts';
import { TurnText } from './turn-text.ts';

export type Responses = AsyncGenerator<StreamResponse, void, undefined>;

export interface FollowDeps {
  readonly deps: Pick<ProtocolDeps, 'readTurn' | 'listActions'>;
  readonly owner: string;
  filesOf(answer: Message | null): Promise<Artifact[]>;
}

/** How the task stands, then every piece of its answer, then how it ended or what it asks. */
export async function* followTask(given: FollowDeps, turnId: string, frames: AsyncIterable<StreamFrame>): Responses {
  const text = new TurnText(turnId);
  let own: Turn | undefined;
  for await (const frame of frames) {
    const turn = turnIn(frame);
    if (!own && turn?.id === turnId) {
      own = turn;
      yield taskResponse(toTask(turn, '', null));
    }
    const isFirst = !text.hasSpoken;
    const piece = text.take(frame);
    if (own && piece !== '') yield pieceResponse(own, piece, !isFirst);
    const paused = await pause(given, turnId, frame, text);
    yield* paused;
    if (paused.length > 0) return;
  }
}

export function turnIn(frame: StreamFrame): Turn | undefined {
  return 'turn' in frame ? frame.turn : undefined;
}

/** Working and submitted tasks go on; every other state ends the wait of a caller. */
export function isPause({ payload }: StreamResponse): boolean {
  return payload?.$case === 'statusUpdate';
}

/** What ends a stream: the task is over, or waits for its caller. */
async function pause(given: FollowDeps, turnId: string, frame: StreamFrame, text: TurnText): Promise<StreamResponse[]> {
  const { deps, owner } = given;
  const turn = turnIn(frame);
  if (frame.type === 'turn.settled' && turn?.id === turnId) {
    const { answer } = await deps.readTurn(owner, turnId);
    const whole = !text.hasSpoken && answer?.text ? [pieceResponse(turn, answer.text, false)] : [];
    const files = (await given.filesOf(answer)).map((file) => fileResponse(turn, file));
    return [...whole, ...files, statusResponse(turn, null)];
  }
  const isAsked = frame.type === 'action.opened' && frame.action.kind === 'question' && frame.action.turnId === turnId;
  const waits = isAsked || (frame.type === 'turn.waiting' && turn?.id === turnId) || frame.type === 'turn.partial';
  if (!waits) return [];
  const { turn: now } = await deps.readTurn(owner, turnId);
  const question = await openQuestion(deps, owner, now);
  return question ? [statusResponse(now, question)] : [];
}
