import type { Action, AnswerAction } from '../../contract/actions.ts';
import { until } from '../harness/parley.ts';
import type { Stage } from './stage.ts';

/** What waits for a person in a session, once there is so much of it; oldest first. */
export async function waitingIn(stage: Stage, session: string, count = 1): Promise<Action[]> {
  return until(
    async () => (await stage.call('listActions', { query: { session } })).actions,
    (actions) => actions.length === count,
  );
}

export function answer(stage: Stage, action: Action, body: AnswerAction): Promise<Action> {
  return stage.call('answerAction', { params: { actionId: action.id }, body });
}

/** Waits for the one thing that is asked in a session, and answers it. */
export async function answerNext(stage: Stage, session: string, body: AnswerAction): Promise<Action> {
  const [action] = await waitingIn(stage, session);
  return answer(stage, action!, body);
}
