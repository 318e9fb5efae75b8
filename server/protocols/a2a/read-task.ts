import type { Artifact, Task } from '@a2a-js/sdk';
import type { Action } from '../../../contract/actions.ts';
import type { TurnPartial } from '../../../contract/events.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';
import type { ProtocolDeps } from '../protocol.ts';
import { toTask } from './tasks.ts';
import { TurnText } from './turn-text.ts';

export type ReadDeps = Pick<ProtocolDeps, 'readTurn' | 'partialOf' | 'listActions'>;

/** A task as it is now, with what was said so far. */
export async function readTask(
  deps: ReadDeps,
  owner: string,
  turnId: string,
  filesOf: (answer: Message | null) => Promise<Artifact[]> | Artifact[] = () => [],
): Promise<Task> {
  const { turn, answer } = await deps.readTurn(owner, turnId);
  const text = answer?.text ?? (turn.endedAt === null ? textSoFar(deps.partialOf(owner, turn)) : '');
  return toTask(turn, text, await openQuestion(deps, owner, turn), await filesOf(answer));
}

/** What the agent asks its caller. Approvals are for the owner alone. */
export async function openQuestion(
  { listActions }: Pick<ReadDeps, 'listActions'>,
  owner: string,
  turn: Turn,
): Promise<Action | null> {
  if (turn.state !== 'waiting') return null;
  const open = await listActions(owner, { session: turn.sessionId, state: 'open', limit: 100 });
  return open.find(({ kind, turnId }) => kind === 'question' && turnId === turn.id) ?? null;
}

function textSoFar(partial: TurnPartial | undefined): string {
  return partial ? new TurnText(partial.turnId).take(partial) : '';
}
