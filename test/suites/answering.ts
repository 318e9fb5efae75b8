import type { Action, AnswerAction } from '../../contract/actions.ts';
import { until } from '../harness/parley.ts';
import type { TestServer } from './test-server.ts';

/** What waits for a person in a session, once there is so much of it; oldest first. */
export async function waitingIn(server: TestServer, session: string, count = 1): Promise<Action[]> {
  return until(
    async () => (await server.call('listActions', { query: { session } })).actions,
    (actions) => actions.length === count,
  );
}

export function answer(server: TestServer, action: Action, body: AnswerAction): Promise<Action> {
  return server.call('answerAction', { params: { actionId: action.id }, body });
}

/** Waits for the one thing that is asked in a session, and answers it. */
export async function answerNext(server: TestServer, session: string, body: AnswerAction): Promise<Action> {
  const [action] = await waitingIn(server, session);
  return answer(server, action!, body);
}
